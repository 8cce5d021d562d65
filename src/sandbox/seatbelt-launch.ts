/**
 * A command in the sandbox of macOS. Written and typed, but NOT TESTED: there was no Mac to test it on.
 * The self-test decides on each machine whether it holds; if not, there is no sandbox.
 *
 * It walls off files and network by a profile. Processes are not kept apart, nothing is limited, and
 * what a command started is killed by its process group only.
 */

import { spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { Command } from '../engine/index.ts'
import type { PreparedPlace } from './bubblewrap-args.ts'
import { killAll, markVariable, newMark, signalGroup } from './process-group.ts'
import type { Launched } from './run-command.ts'

/** Needed by every program there. */
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
  place: PreparedPlace,
  command: Pick<Command, 'program' | 'args' | 'cwd' | 'env' | 'input'> & {
    readonly keepsInput?: boolean
  },
): Launched {
  const mark = newMark()
  const temporary = realpathSync(tmpdir())
  const args = ['-p', seatbeltProfile(place, temporary), command.program, ...command.args]
  const hasInput = command.input !== undefined || command.keepsInput === true
  const child = spawn(sandboxExec, args, {
    detached: true,
    cwd: command.cwd ?? place.real,
    stdio: [hasInput ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    env: {
      HOME: temporary,
      LANG: 'en_US.UTF-8',
      TMPDIR: temporary,
      ...place.toolchains.env,
      ...place.env,
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

/** The last rule that fits decides. */
export function seatbeltProfile(place: PreparedPlace, temporary: string): string {
  const readable = [...systemFolders, ...place.toolchains.mounts, ...place.shown.outside]
  const git = place.git.readOnly
  return [
    '(version 1)',
    '(deny default)',
    '(allow process-exec process-fork sysctl-read mach-lookup file-read-metadata)',
    '(allow signal (target pgrp))',
    '(allow file-write* (literal "/dev/null"))',
    rule('allow', 'file-read*', [...readable, ...git]),
    rule('allow', 'file-read* file-write*', [place.real, temporary]),
    rule('deny', 'file-write*', [...git, ...place.shown.inside]),
    rule('deny', 'file-read* file-write*', [
      ...place.git.hide,
      ...place.shown.hidden.map(({ path }) => path),
    ]),
    '(deny network*)',
  ]
    .filter((line) => line !== '')
    .join('\n')
}

function rule(verb: 'allow' | 'deny', what: string, paths: readonly string[]): string {
  if (paths.length === 0) return ''
  return `(${verb} ${what} ${paths.map((path) => `(subpath ${quote(path)})`).join(' ')})`
}

const quote = (path: string): string => `"${path.replaceAll(/["\\]/g, '\\$&')}"`
