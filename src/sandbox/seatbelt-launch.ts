/**
 * Starts a command in the sandbox of macOS. NOT TESTED: there was no Mac to test it on. The self-test
 * decides on each machine whether it works; if not, there is no sandbox.
 *
 * A profile restricts files and network. Processes are not isolated, no limits are enforced, and the
 * processes that a command started are killed by process group only.
 */

import { spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { Command } from '../engine/index.ts'
import type { PreparedSandbox } from './bubblewrap-args.ts'
import { createMark, killAll, markVariable, signalGroup } from './process-group.ts'
import type { Launched } from './run-command.ts'

/** Every program on macOS needs these. */
const systemFolders = [
  '/usr',
  '/bin',
  '/sbin',
  '/System',
  '/Library',
  '/opt/homebrew',
  '/dev',
  '/private/etc',
  '/private/var/db/dyld',
  '/private/var/select',
]

export function launchInSeatbelt(
  sandboxExec: string,
  sandbox: PreparedSandbox,
  command: Pick<Command, 'program' | 'args' | 'cwd' | 'env' | 'input'> & {
    readonly keepsInput?: boolean
  },
): Launched {
  const mark = createMark()
  const temporary = realpathSync(tmpdir())
  const args = ['-p', seatbeltProfile(sandbox, temporary), command.program, ...command.args]
  const hasInput = command.input !== undefined || command.keepsInput === true
  const child = spawn(sandboxExec, args, {
    detached: true,
    cwd: command.cwd ?? sandbox.real,
    stdio: [hasInput ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    env: {
      HOME: temporary,
      LANG: 'en_US.UTF-8',
      TMPDIR: temporary,
      ...sandbox.toolchains.env,
      ...sandbox.env,
      ...command.env,
      [markVariable]: mark.value,
    },
  })
  const group = child.pid
  return {
    child,
    stop() {
      if (group !== undefined) signalGroup(group, 'SIGTERM')
    },
    kill: async () => (group === undefined ? [] : killAll(group, mark)),
  }
}

/** The last matching rule applies. */
export function seatbeltProfile(sandbox: PreparedSandbox, temporary: string): string {
  const readable = [...systemFolders, ...sandbox.toolchains.mounts, ...sandbox.shown.outside]
  const git = sandbox.git.readOnly
  return [
    '(version 1)',
    '(deny default)',
    '(allow process-exec process-fork sysctl-read mach-lookup file-read-metadata)',
    '(allow signal (target pgrp))',
    '(allow file-write* (literal "/dev/null"))',
    rule('allow', 'file-read*', [...readable, ...git]),
    rule('allow', 'file-read* file-write*', [sandbox.real, temporary]),
    rule('deny', 'file-write*', [...git, ...sandbox.shown.inside]),
    rule('deny', 'file-read* file-write*', [
      ...sandbox.git.hide,
      ...sandbox.shown.hidden.map(({ path }) => path),
    ]),
    '(deny network*)',
  ]
    .filter((line) => line !== '')
    .join('\n')
}

function rule(verb: 'allow' | 'deny', operation: string, paths: readonly string[]): string {
  if (paths.length === 0) return ''
  return `(${verb} ${operation} ${paths.map((path) => `(subpath ${quote(path)})`).join(' ')})`
}

const quote = (path: string): string => `"${path.replaceAll(/["\\]/g, '\\$&')}"`
