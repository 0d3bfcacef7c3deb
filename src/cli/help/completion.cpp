// SPDX-License-Identifier: Apache-2.0
#include "cli/help/completion.hpp"

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

/// `a|b|c`: the names of options with a value of which `wanted` is true. The same name has the same kind of value everywhere.
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

/// What a shell offers for the first argument of a command, as words.
std::string words_for(const CommandEntry& entry) {
    if (entry.arguments.empty()) return {};
    switch (entry.arguments.front().completion) {
    case Completion::command: return command_names() + " " + std::string(options_topic);
    case Completion::shell: return "bash zsh";
    default: return {};
    }
}

/// Branches of a `case` over the command's name, for both shells: `known` options and `offered` words.
std::string command_cases(std::string_view indent) {
    std::string text;
    for (const CommandEntry& entry : command_table()) {
        text += std::string(indent) + std::string(entry.name) + ") options='" + option_names(options_of(entry)) + "'";
        if (const auto words = words_for(entry); !words.empty()) text += " words='" + words + "'";
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
    text = replaced(std::move(text), "@FILES@", patterns_completing(Completion::file));
    text = replaced(std::move(text), "@FOLDERS@", patterns_completing(Completion::folder));
    return replaced(std::move(text), "@VALUES@", patterns_completing(Completion::nothing));
}

// Without a command yet: commands and leading options. Behind `--` of one that runs a program: files, as any program gets.
constexpr const char* bash_script = R"(# bash completion for docent, made by: docent completion bash
_docent() {
    local word=${COMP_WORDS[COMP_CWORD]} previous='' command='' options='@LEADING@' words='' i
    [ "$COMP_CWORD" -lt 1 ] || previous=${COMP_WORDS[COMP_CWORD-1]}
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        --) mapfile -t COMPREPLY < <(compgen -c -f -- "$word"); return ;;
        @FILES@|@FOLDERS@|@VALUES@) [ -n "$command" ] || ((i++)) ;;
        -*) ;;
        *) [ -n "$command" ] || command=${COMP_WORDS[i]} ;;
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
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -F _docent docent
)";

constexpr const char* zsh_script = R"(#compdef docent
# zsh completion for docent, made by: docent completion zsh
_docent() {
    local word=${words[CURRENT]} previous=${words[CURRENT-1]} command='' options='@LEADING@' offered='' i
    for ((i = 2; i < CURRENT; i++)); do
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
    compadd -- ${=offered}
}
if [[ $funcstack[1] == _docent ]]; then _docent "$@"; else compdef _docent docent; fi
)";

} // namespace

std::string bash_completion() {
    return filled_in(bash_script);
}

std::string zsh_completion() {
    return replaced(filled_in(zsh_script), " words='", " offered='");
}

} // namespace docent::cli
