/**
 * What comes first inside a sandbox: a few lines of shell that wait for our word, limit themselves, and
 * become the command.
 *
 * 1. Without our word nothing runs: it is given when all of it is in its control groups and bound to our
 *    life. If we die before, the pipe ends, and so does everything.
 * 2. Limits on each process hold for the command and can only be lowered by it. Where the system's own
 *    limit is lower, that one holds. One that cannot be set ends it.
 * 3. The number of processes is limited here, inside, where only those of the sandbox are counted.
 */

import type { LimitKind, SandboxLimits } from './sandbox-type.ts'

/** It says on it that it is there, and reads the word from it. */
export const wordDescriptor = 5
export const word = 'go\n'
/** For "there is no such program", in whose words; also used by the relay. */
export const cannotStartPrefix = 'loopwright: cannot start '
const cannotLimit = 'loopwright: cannot limit'

export function guardCommand(
  limits: SandboxLimits,
  kind: LimitKind,
  command: readonly string[],
): readonly string[] {
  return ['sh', '-c', guardScript(limits, kind), 'sh', ...command]
}

/** Shells differ in one letter: the number of processes is `-u` in bash, `-p` in the others. */
function guardScript(limits: SandboxLimits, kind: LimitKind): string {
  const { cpuSeconds, fileBytes, openFiles, memoryBytes, processes } = limits
  const each =
    kind === 'cgroup'
      ? []
      : [
          `limit -d ${kibibytes(memoryBytes)}`,
          `{ limit -u ${processes} || limit -p ${processes}; }`,
        ]
  const all = [
    'limit -c 0',
    `limit -t ${Math.ceil(cpuSeconds)}`,
    `limit -f ${Math.ceil(fileBytes / 512)}`,
    `limit -n ${openFiles}`,
    ...each,
  ]
  return [
    `echo >&${wordDescriptor} && read -r word <&${wordDescriptor} && [ "$word" = go ] || exit 125`,
    `exec ${wordDescriptor}<&-`,
    'limit() { ulimit "$1" "$2" 2> /dev/null || [ "$(ulimit -H "$1" 2> /dev/null)" -lt "$2" ] 2> /dev/null; }',
    `${all.join(' && ')} || { echo "${cannotLimit}" >&2; exit 125; }`,
    'unset word',
    'case "$1" in */*) [ -x "$1" ] && [ ! -d "$1" ];; *) command -v "$1" > /dev/null;; esac || {',
    'if [ -e "$1" ]; then why="Permission denied"; else why="No such file or directory"; fi',
    `echo "${cannotStartPrefix}$1: $why" >&2; exit 127; }`,
    'exec "$@"',
  ].join('\n')
}

const kibibytes = (bytes: number): number => Math.ceil(bytes / 1024)

/** Why the command was not started, from all that was said; undefined if it was. */
export function guardFailure(
  exitCode: number | undefined,
  stderr: string,
): 'ENOENT' | 'EACCES' | 'not-limited' | undefined {
  if (exitCode === 125 && stderr === `${cannotLimit}\n`) return 'not-limited'
  if (exitCode !== 127 || !stderr.startsWith(cannotStartPrefix)) return undefined
  if (stderr.endsWith(': No such file or directory\n')) return 'ENOENT'
  return stderr.endsWith(': Permission denied\n') ? 'EACCES' : undefined
}
