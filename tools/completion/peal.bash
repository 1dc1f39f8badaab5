# bash completion for peal, which prints the words itself
_peal()
{
    local line=${COMP_LINE:0:COMP_POINT} words offered word before IFS=$' \t\n'
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=('')
    before=${words[-1]%"$2"} # bash cuts words at = and :
    mapfile -t offered < <("$1" --complete "${words[@]:1}" 2>/dev/null </dev/null)
    IFS=$'\n' COMPREPLY=()
    for word in "${offered[@]%%$'\t'*}"; do
        case $word in
        :file*)
            compopt -o filenames 2>/dev/null
            word=${word#:file} word=${word# } # the ending
            COMPREPLY+=($(compgen -f -X "${word:+!*$word}" -- "$2") $([ ! "$word" ] || compgen -d -- "$2"))
            ;;
        "$before$2"*) COMPREPLY+=("${word#"$before"}") ;;
        esac
    done
    [[ ${COMPREPLY[*]} == *: ]] && compopt -o nospace 2>/dev/null
}
complete -F _peal peal
