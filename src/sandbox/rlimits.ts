/** Limits on each process, by `prlimit`: for all that control groups do not do, or where there are none. */

import type { LimitKind, SandboxLimits } from './sandbox-type.ts'

/** Before the sandbox is made. */
export function outerLimits(limits: SandboxLimits, kind: LimitKind): readonly string[] {
  const { cpuSeconds, fileBytes, openFiles, memoryBytes } = limits
  return [
    '--core=0',
    `--cpu=${cpuSeconds}`,
    `--fsize=${fileBytes}`,
    `--nofile=${openFiles}`,
    ...(kind === 'cgroup' ? [] : [`--data=${memoryBytes}`]),
  ]
}

/**
 * Inside, where only the processes of the sandbox are counted: outside, those of the whole user are,
 * and there may be more of them than the limit.
 */
export function innerLimits({ processes }: SandboxLimits, kind: LimitKind): readonly string[] {
  return kind === 'cgroup' ? [] : [`--nproc=${processes}`]
}
