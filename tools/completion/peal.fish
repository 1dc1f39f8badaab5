# fish completion for peal, which prints the words itself
function __peal_complete
    set -l words (commandline -opc) (commandline -ct)
    command -q $words[1]; or return
    for line in (command $words[1] --complete $words[2..] 2>/dev/null </dev/null)
        switch $line
            case ':file *'
                __fish_complete_suffix (string replace ':file ' '' $line)
            case ':file'
                set -l before (string match -r '^(?:--.*?=|.*file:)' -- $words[-1])
                set -l paths (__fish_complete_path (string replace -- "$before" '' $words[-1]))
                printf '%s\n' "$before"$paths
            case '*'
                printf '%s\n' $line
        end
    end
end
complete -c peal -f -a '(__peal_complete)'
