/**
 * The guard: the first program inside a sandbox, a short shell script that waits to be released, sets its own
 * limits, and executes the command.
 *
 * 1. The command runs only when this process releases it, once all processes are in their control groups and
 *    die with this process. If this process dies first, the pipe closes and the guard exits.
 * 2. Limits per process apply to the command, which can only lower them. A lower limit of the system stays
 *    in effect. If a limit cannot be set, the guard exits.
 * 3. The number of processes is limited inside, where only the processes of the sandbox count.
 */

import type { LimitKind, SandboxLimits } from './sandbox-type.ts'

/** The guard reports on it that it runs, and reads the release from it. */
export const releaseDescriptor = 5
export const releaseMessage = 'go\n'
/** Starts the error message of a command that cannot be started; the relay prints the same. */
export const cannotStartPrefix = 'loopwright: cannot start '
const cannotLimit = 'loopwright: cannot limit'

export function guardCommand(
  limits: SandboxLimits,
  kind: LimitKind,
  command: readonly string[],
): readonly string[] {
  return ['sh', '-c', guardScript(limits, kind), 'sh', ...command]
}

/** The option for the number of processes is `-u` in bash and `-p` in other shells. */
function guardScript(limits: SandboxLimits, kind: LimitKind): string {
  const { cpuSeconds, fileBytes, openFiles, memoryBytes, processes } = limits
  const perProcess =
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
    ...perProcess,
  ]
  return [
    `echo >&${releaseDescriptor} && read -r word <&${releaseDescriptor} && [ "$word" = go ] || exit 125`,
    `exec ${releaseDescriptor}<&-`,
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

/** Why the command was not started, derived from its output; undefined if it was started. */
export function guardFailure(
  exitCode: number | undefined,
  stderr: string,
): 'ENOENT' | 'EACCES' | 'not-limited' | undefined {
  if (exitCode === 125 && stderr === `${cannotLimit}\n`) return 'not-limited'
  if (exitCode !== 127 || !stderr.startsWith(cannotStartPrefix)) return undefined
  if (stderr.endsWith(': No such file or directory\n')) return 'ENOENT'
  return stderr.endsWith(': Permission denied\n') ? 'EACCES' : undefined
}
