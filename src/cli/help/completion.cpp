// SPDX-License-Identifier: Apache-2.0
#include "cli/help/help.hpp"

#include "cli/arguments/command_table.hpp"

#include <algorithm>
#include <set>
#include <vector>

namespace docent::cli {
namespace {

std::string command_names() {
    std::string names;
    for (const CommandEntry& entry : command_table()) names += (names.empty() ? "" : " ") + std::string(entry.name);
    return names;
}

std::vector<std::string> names_of(const OptionEntry& option) {
    std::vector<std::string> names{std::string(option.name)};
    if (!option.short_name.empty()) names.emplace_back(option.short_name);
    return names;
}

std::string option_names(const std::vector<OptionEntry>& options) {
    std::string names;
    for (const OptionEntry& option : options) {
        for (const auto& name : names_of(option)) names += (names.empty() ? "" : " ") + name;
    }
    return names;
}

/// `a|b|c`: the names of the options with a value for which `wanted` is true. A name has the same kind of value everywhere.
template <typename Wanted> std::string patterns(const Wanted& wanted) {
    std::set<std::string> names;
    const auto take = [&](const std::vector<OptionEntry>& options) {
        for (const OptionEntry& option : options) {
            if (option.is_flag() || !wanted(option)) continue;
            for (const auto& name : names_of(option)) names.insert(name);
        }
    };
    take(leading_options());
    for (const CommandEntry& entry : command_table()) take(entry.options);
    std::string result;
    for (const auto& name : names) result += (result.empty() ? "" : "|") + name;
    return result;
}

std::string patterns_completing(Completion completion) {
    return patterns([=](const OptionEntry& option) { return option.completion == completion; });
}

/// The words that a shell offers for the first argument of a command.
std::string words_for(const CommandEntry& entry) {
    if (entry.arguments.empty()) return {};
    switch (entry.arguments.front().completion) {
    case Completion::command: return command_names() + " " + std::string(options_topic);
    case Completion::shell: return "bash zsh";
    default: return {};
    }
}

/// Whether the first arguments are paths of nodes.
bool takes_znodes(const CommandEntry& entry) {
    return !entry.arguments.empty() && entry.arguments.front().completion == Completion::znode;
}

/// `--connect|--namespace`, or with `ending` `--connect=*|--namespace=*`: the options that a list of nodes needs.
std::string connection_patterns(const std::string& ending) {
    std::string result;
    for (const OptionEntry& option : connection_options()) {
        if (option.name == "--session-timeout") continue;
        result += (result.empty() ? "" : "|") + std::string(option.name) + ending;
    }
    return result;
}

/// Branches of a `case` over the command's name, for both shells: `known` options and `offered` words.
std::string command_cases(std::string_view indent) {
    std::string text;
    for (const CommandEntry& entry : command_table()) {
        text += std::string(indent) + std::string(entry.name) + ") options='" + option_names(options_of(entry)) + "'";
        if (const auto words = words_for(entry); !words.empty()) text += " words='" + words + "'";
        if (takes_znodes(entry)) text += " znodes=yes";
        text += " ;;\n";
    }
    return text;
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
    for (auto at = text.find(what); at != text.npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
    return text;
}

std::string filled_in(std::string text) {
    text = replaced(std::move(text), "@COMMANDS@", command_names());
    text = replaced(std::move(text), "@LEADING@", option_names(leading_options()));
    text = replaced(std::move(text), "@CASES@\n", command_cases("    "));
    text = replaced(std::move(text), "@CONNECTION@", connection_patterns(""));
    text = replaced(std::move(text), "@CONNECTION_IS@", connection_patterns("=*"));
    text = replaced(std::move(text), "@FILES@", patterns_completing(Completion::file));
    text = replaced(std::move(text), "@FOLDERS@", patterns_completing(Completion::folder));
    return replaced(std::move(text), "@VALUES@", patterns_completing(Completion::nothing));
}

// Completes commands and leading options before a command; programs and files after `--`; and nodes, listed by the servers,
// for a word that begins with a slash. bash splits words at `:` and `=`, so the script takes the earlier words from the line.
constexpr const char* bash_script = R"script(# bash completion for docent, made by: docent completion bash
_docent_znodes() {
    local word=$1 parent=${1%/*} name
    shift
    COMPREPLY=()
    while IFS= read -r name; do
        name=$parent/$name
        [[ $name != "$word"* ]] || COMPREPLY+=("$(printf %q "$name")")
    done < <(timeout 2 "${COMP_WORDS[0]}" ls "${parent:-/}" "$@" 2>/dev/null)
    compopt -o nospace 2>/dev/null
}
_docent() {
    local word=${COMP_WORDS[COMP_CWORD]} previous='' command='' options='@LEADING@' words='' znodes='' i
    local line=("${COMP_WORDS[@]:0:COMP_CWORD}") connection=()
    [ -z "${COMP_LINE-}" ] || read -ra line <<<"${COMP_LINE:0:COMP_POINT-${#word}}"
    [ "${#line[@]}" -lt 2 ] || previous=${line[-1]}
    for ((i = 1; i < ${#line[@]}; i++)); do
        case ${line[i]} in
        @CONNECTION@) connection+=("${line[i]}" "${line[i+1]-}") ;;
        @CONNECTION_IS@) connection+=("${line[i]}") ;;
        esac
        case ${line[i]} in
        --) mapfile -t COMPREPLY < <(compgen -c -f -- "$word"); return ;;
        @FILES@|@FOLDERS@|@VALUES@) ((i++)) ;;
        -*) ;;
        *) [ -n "$command" ] || command=${line[i]} ;;
        esac
    done
    COMPREPLY=()
    case $previous in
    @FILES@) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    @FOLDERS@) mapfile -t COMPREPLY < <(compgen -d -- "$word"); return ;;
    @VALUES@) return ;;
    esac
    case $command in
    '') words='@COMMANDS@' ;;
@CASES@
    *) return ;;
    esac
    case $word in
    -*) words=$options ;;
    /*) [ -z "$znodes" ] || { _docent_znodes "$word" "${connection[@]}"; return; } ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -F _docent docent
)script";

constexpr const char* zsh_script = R"script(#compdef docent
# zsh completion for docent, made by: docent completion zsh
_docent() {
    local word=${words[CURRENT]} previous=${words[CURRENT-1]} command='' options='@LEADING@' offered='' znodes='' parent i
    local -a connection names
    for ((i = 2; i < CURRENT; i++)); do
        case ${words[i]} in
        @CONNECTION@) connection+=(${(Q)words[i]} ${(Q)words[i+1]}) ;;
        @CONNECTION_IS@) connection+=(${(Q)words[i]}) ;;
        esac
        case ${words[i]} in
        --) shift $i words; (( CURRENT -= i )); _normal; return ;;
        @FILES@|@FOLDERS@|@VALUES@) [[ -n $command ]] || ((i++)) ;;
        -*) ;;
        *) [[ -n $command ]] || command=${words[i]} ;;
        esac
    done
    case $previous in
    @FILES@) _files; return ;;
    @FOLDERS@) _files -/; return ;;
    @VALUES@) return ;;
    esac
    case $command in
    '') offered='@COMMANDS@' ;;
@CASES@
    *) return ;;
    esac
    [[ $word != -* ]] || offered=$options
    if [[ -n $znodes && $word == /* ]]; then
        parent=${word%/*}
        names=(${(f)"$(timeout 2 ${(Q)words[1]} ls ${parent:-/} $connection 2>/dev/null)"})
        compadd -S '' -- $parent/${^names}
        return
    fi
    compadd -- ${=offered}
}
if [[ $funcstack[1] == _docent ]]; then _docent "$@"; else compdef _docent docent; fi
)script";

} // namespace

std::string bash_completion() {
    return filled_in(bash_script);
}

std::string zsh_completion() {
    return replaced(filled_in(zsh_script), " words='", " offered='");
}

} // namespace docent::cli
