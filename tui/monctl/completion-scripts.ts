/**
 * Completion scripts by shell. They call `monctl __complete -- WORD... CURRENT`, which prints one candidate per line.
 * No script lets the shell evaluate a candidate.
 */
export const COMPLETION_SCRIPTS: Readonly<Record<string, string>> = {
  bash: String.raw`
_monctl() {
  local line=${'$'}{COMP_LINE:0:COMP_POINT} current before candidate
  local -a words
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  current=${'$'}{words[${'$'}{#words[@]} - 1]}
  # Bash takes a word apart at its own word breaks: what stands before the last one must not come again.
  before=
  [[ $current == *[:=@]* ]] && before=${'$'}{current%"${'$'}{current##*[:=@]}"}
  COMPREPLY=()
  while IFS= read -r candidate; do
    COMPREPLY+=("${'$'}{candidate#"$before"}")
  done < <(monctl __complete -- "${'$'}{words[@]:1}" 2>/dev/null)
}
complete -o default -F _monctl monctl
`.trimStart(),

  zsh: String.raw`
_monctl() {
  local -a candidates
  candidates=("${'$'}{(@f)$(monctl __complete -- "${'$'}{(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}")
  candidates=(${'$'}{candidates:#})
  if (( $#candidates )); then compadd -- $candidates; else _files; fi
}
compdef _monctl monctl
`.trimStart(),

  fish: String.raw`
function __monctl_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l current (commandline -ct)
    monctl __complete -- $words "$current" 2>/dev/null
end
complete -c monctl -f -a '(__monctl_complete)'
complete -c monctl -s f -l file -r -F
`.trimStart(),
};
