// SPDX-License-Identifier: Apache-2.0
#include "cli/help/help.hpp"

#include "cli/arguments/command_table.hpp"

#include <boost/algorithm/string/join.hpp>
#include <boost/algorithm/string/replace.hpp>

#include <set>
#include <utility>
#include <vector>

namespace docent::cli {
namespace {

using boost::algorithm::join;

std::string command_names() {
    std::vector<std::string> names;
    for (const CommandEntry& entry : command_table()) names.emplace_back(entry.name);
    return join(names, " ");
}

std::vector<std::string> option_names(const std::vector<OptionEntry>& options) {
    std::vector<std::string> names;
    for (const OptionEntry& option : options) {
        names.emplace_back(option.name);
        if (!option.short_name.empty()) names.emplace_back(option.short_name);
    }
    return names;
}

/// `a|b|c`: the names of the options whose value is completed in this way. A name has the same kind of value everywhere.
std::string patterns(Completion completion) {
    std::set<std::string> names;
    const auto take = [&](std::vector<OptionEntry> options) {
        std::erase_if(options, [&](const OptionEntry& o) { return o.is_flag() || o.completion != completion; });
        for (auto& name : option_names(options)) names.insert(std::move(name));
    };
    take(leading_options());
    for (const CommandEntry& entry : command_table()) take(entry.options);
    return join(names, "|");
}

/// The options that a list of nodes needs. `--connect|--namespace`: those whose value is the next word. With `complete`,
/// `--connect=*|--namespace=*|--tls`: words that need no other word.
std::string connection_patterns(bool complete) {
    std::vector<std::string> names;
    for (const OptionEntry& option : connection_options()) {
        const bool matters = option.name != "--session-timeout" && option.name != "--relaxed-heartbeats";
        if (!matters || (option.is_flag() && !complete)) continue;
        names.push_back(std::string(option.name) + (complete && !option.is_flag() ? "=*" : ""));
    }
    return join(names, "|");
}

/// Branches of a `case` over the command's name, for both shells: known options, and what to offer for the first argument.
std::string command_cases() {
    std::string text;
    for (const CommandEntry& entry : command_table()) {
        text += "    " + std::string(entry.name) + ") options='" + join(option_names(options_of(entry)), " ") + "'";
        switch (entry.arguments.empty() ? Completion::nothing : entry.arguments.front().completion) {
        case Completion::command: text += " words='" + command_names() + " " + std::string(options_topic) + "'"; break;
        case Completion::shell: text += " words='bash zsh'"; break;
        case Completion::znode: text += " znodes=yes"; break;
        default: break;
        }
        text += " ;;\n";
    }
    return text;
}

std::string filled_in(std::string script) {
    const std::pair<const char*, std::string> places[] = {{"@COMMANDS@", command_names()},
                                                          {"@LEADING@", join(option_names(leading_options()), " ")},
                                                          {"@CASES@\n", command_cases()},
                                                          {"@CONNECTION@", connection_patterns(false)},
                                                          {"@COMPLETE_CONNECTION@", connection_patterns(true)},
                                                          {"@FILES@", patterns(Completion::file)},
                                                          {"@FOLDERS@", patterns(Completion::folder)},
                                                          {"@VALUES@", patterns(Completion::nothing)}};
    for (const auto& [place, text] : places) boost::algorithm::replace_all(script, place, text);
    return script;
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
        @COMPLETE_CONNECTION@) connection+=("${line[i]}") ;;
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
        @COMPLETE_CONNECTION@) connection+=(${(Q)words[i]}) ;;
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
    std::string script = filled_in(zsh_script);
    boost::algorithm::replace_all(script, " words='", " offered='");
    return script;
}

} // namespace docent::cli
