/**
 * S16: what the daemon makes is for its owner alone, also where it is started with a umask that allows
 * everything, and no name in the folder for temporary files can be guessed.
 */

import { lstatSync, mkdirSync, readdirSync, watch } from 'node:fs'
import { join } from 'node:path'
import { openStage, type Stage } from './daemon-stage.ts'

export interface Modes {
  /** How many files, folders and sockets were looked at. */
  readonly seen: number
  readonly problems: readonly string[]
}

/** With two lives, names of temporary files are compared. */
export async function lookAtModes(lives: 1 | 2): Promise<Modes> {
  const first = await live()
  if (lives === 1) return first
  const second = await live()
  const same = first.temporary.filter((name) => second.temporary.includes(name))
  return {
    seen: first.seen + second.seen,
    problems: [
      ...first.problems,
      ...second.problems,
      ...same.map((name) => `${name} in the folder for temporary files can be guessed`),
    ],
  }
}

interface Life extends Modes {
  /** The names that were there at any time. */
  readonly temporary: readonly string[]
}

/** A daemon that has a run driven to its end. */
async function live(): Promise<Life> {
  const names = new Set<string>()
  let stopWatching: () => void = () => undefined
  const stage = await openStage({
    launcher: ['sh', '-c', 'umask 000; exec "$@"', 'sh'],
    prepare(folder) {
      const temporary = join(folder, 'temporary')
      mkdirSync(temporary, { mode: 0o777 })
      const watcher = watch(temporary, (_event, name) => void names.add(String(name)))
      stopWatching = () => watcher.close()
      return { TMPDIR: temporary, XDG_RUNTIME_DIR: '' }
    },
  })
  try {
    const problem = await runOnce(stage)
    const { socket, state } = stage.daemon
    const beside = join(stage.folder, 'work', 'logs')
    const paths = [socket, ...pathsUnder(state), ...pathsUnder(beside)]
    const temporary = join(stage.folder, 'temporary')
    const left = pathsUnder(temporary)
    return {
      seen: paths.length + left.length,
      problems: [...problem, ...[...paths, ...left].flatMap(findLoose)],
      temporary: [...names],
    }
  } finally {
    stopWatching()
    await stage.close()
  }
}

/** While it is driven and when it has ended the files are there. */
async function runOnce({ daemon, file }: Stage): Promise<readonly string[]> {
  const looking = { authorization: `Bearer ${daemon.token}` }
  const headers = { ...looking, 'content-type': 'application/json' }
  const body = JSON.stringify({ file, name: 'looked-at', attended: true })
  const made = await fetch(`${daemon.address}/runs`, { method: 'POST', headers, body })
  if (made.status !== 201) return [`the run was not taken: ${await made.text()}`]
  const events = await fetch(`${daemon.address}/runs/looked-at/events`, {
    headers: { ...looking, accept: 'text/event-stream' },
  })
  // It ends with the run.
  const told = await events.text()
  // Whoever asks for the files of a run is told when they are whole.
  const files = await fetch(`${daemon.address}/runs/looked-at/artifacts`, { headers: looking })
  const listed = await files.text()
  return [
    ...(told.includes('run-ended') ? [] : ['the run did not end']),
    ...(listed.includes('summary.json') ? [] : [`the run has no files: ${listed}`]),
  ]
}

/** What belongs to a workspace has the modes that its owner wants. */
const isWork = (path: string): boolean => /\/(worktrees|checkouts)\/./.test(path)

function pathsUnder(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (isWork(path)) return []
    // Trees of the work come and go in such a folder, which is looked at itself.
    const isEntered = entry.isDirectory() && !entry.name.startsWith('restore-')
    return [path, ...(isEntered ? pathsUnder(path) : [])]
  })
}

function findLoose(path: string): readonly string[] {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined || found.isSymbolicLink()) return []
  const mode = found.mode & 0o777
  return (mode & 0o077) === 0 ? [] : [`${path} has mode ${mode.toString(8)}`]
}
