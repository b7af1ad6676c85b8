/** `credence completion`: scripts that complete the commands and options of the whole tree, without calling this program. */
import type { Command } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export const COMPLETION_EXAMPLES = `
Examples:
  credence completion bash >> ~/.bashrc
  credence completion zsh > "\${fpath[1]}/_credence"
  credence completion fish > ~/.config/fish/completions/credence.fish`;

interface Node {
  /** The words behind `credence` that lead here. */
  readonly path: string;
  readonly words: readonly Word[];
}

interface Word {
  readonly text: string;
  readonly description: string;
}

/** @returns the script; it is sourced by the shell */
export function completionScript(shell: Shell, program: Command): string {
  return SCRIPTS[shell](nodesOf(program, []));
}

function nodesOf(command: Command, path: readonly string[]): Node[] {
  const inner = command.commands.filter((one) => one.name() !== 'help');
  const options = command.options
    .filter(({ hidden }) => !hidden)
    .map(({ long, description }) => ({ text: long ?? '', description }));
  const names = inner.map((one) => ({ text: one.name(), description: one.description() }));
  const help = { text: '--help', description: 'display help for command' };
  const own: Node = { path: path.join(' '), words: [...names, ...options, help].filter(({ text }) => text !== '') };
  const below = inner.flatMap((one) => [one.name(), ...one.aliases()].flatMap((name) => nodesOf(one, [...path, name])));
  return [own, ...below];
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const texts = ({ words }: Node) => words.map(({ text }) => text).join(' ');

/** Words of options are passed over: the command is the longest known row of words that are none. */
const SCRIPTS: Readonly<Record<Shell, (nodes: readonly Node[]) => string>> = {
  bash: (nodes) => `# bash completion of credence
_credence_words() {
  case "$1" in
${nodes.map((node) => `    ${quoted(node.path)}) printf '%s' ${quoted(texts(node))} ;;`).join('\n')}
    *) return 1 ;;
  esac
}
_credence() {
  local path='' next word index words
  words=$(_credence_words '')
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    [[ $word == -* ]] && continue
    next="\${path:+$path }$word"
    if _credence_words "$next" > /dev/null; then path=$next; words=$(_credence_words "$path"); fi
  done
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
  [[ \${#COMPREPLY[@]} -eq 0 ]] && compopt -o default 2> /dev/null
  return 0
}
complete -F _credence credence`,

  zsh: (nodes) => `#compdef credence
_credence() {
  local -A tree
  tree=(
${nodes.map((node) => `    ${quoted(`:${node.path}`)} ${quoted(texts(node))}`).join('\n')}
  )
  local path_='' next word index
  for ((index = 2; index < CURRENT; index++)); do
    word=\${words[index]}
    [[ $word == -* ]] && continue
    next="\${path_:+$path_ }$word"
    (( \${+tree[:$next]} )) && path_=$next
  done
  compadd -- \${=tree[:$path_]} || _files
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _credence "$@"; else compdef _credence credence; fi`,

  fish: (nodes) => `# fish completion of credence
function __credence_at
    set -l path ''
    for word in (commandline -opc)[2..-1]
        string match -q -- '-*' $word; and continue
        set -l next (string trim "$path $word")
        contains -- $next $__credence_paths; and set path $next
    end
    test "$path" = "$argv[1]"
end
set -g __credence_paths ${nodes.map(({ path }) => quoted(path)).join(' ')}
${nodes
  .flatMap(({ path, words }) =>
    words.map(({ text, description }) => {
      const condition = quoted(`__credence_at "${path}"`);
      const about = quoted(description.split('\n')[0] ?? '');
      const what = text.startsWith('--') ? `-l ${text.slice(2)}` : `-f -a ${quoted(text)}`;
      return `complete -c credence -n ${condition} ${what} -d ${about}`;
    }),
  )
  .join('\n')}`,
};
