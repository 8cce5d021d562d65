/**
 * Detects whether this machine can observe what a command reads and writes. Tries it with a small workspace in
 * the folder that workspaces are created in, because not every file system can be the upper layer of an overlay.
 */

import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Commands } from '../../engine/index.ts'
import { defined, textOf } from '../../loop/index.ts'
import type { ObservationReport, OverlayReport, SandboxSpec } from '../sandbox-type.ts'
import { type ReadWatch, watchReads } from './watch-reads.ts'

export interface ObservationTrial {
  readonly folder: string
  overlay(): Promise<OverlayReport>
  createCommands(spec: SandboxSpec): Commands
  readonly watch?: typeof watchReads
}

const timeoutMs = 20_000
/** Changes a file and restores it, and removes one. Prints `ok` if all of it works. */
const script = [
  'set -e',
  'test "$(cat src/read)" = as-it-was',
  'echo other > changed && echo as-it-was > changed',
  'rm src/removed && mkdir made && echo x > made/file',
  'echo ok',
].join('\n')

export async function findObservation(trial: ObservationTrial): Promise<ObservationReport> {
  const { mode, reason, fix } = await trial.overlay()
  if (mode !== 'overlay') {
    return { reads: 'none', writes: 'none', reason, ...defined({ fix }) }
  }
  try {
    await mkdir(trial.folder, { recursive: true, mode: 0o700 })
    const own = await realpath(await mkdtemp(join(trial.folder, 'observe-')))
    try {
      return await runTrial(trial, own)
    } finally {
      // The overlay's work folder, which only root may enter.
      await chmod(join(own, 'writes', 'work', 'work'), 0o700).catch(() => {})
      await rm(own, { recursive: true, force: true })
    }
  } catch (error) {
    return { reads: 'none', writes: 'none', reason: `The trial failed: ${textOf(error)}` }
  }
}

async function runTrial(trial: ObservationTrial, own: string): Promise<ObservationReport> {
  const [workspace, folder] = [join(own, 'workspace'), join(own, 'writes')]
  await mkdir(join(workspace, 'src'), { recursive: true })
  await mkdir(folder)
  for (const name of ['changed', 'unread', 'src/read', 'src/removed']) {
    await writeFile(join(workspace, name), 'as-it-was\n')
  }
  const watch = await (trial.watch ?? watchReads)(workspace)
  const commands = trial.createCommands({ workspace, workspaceOverlay: { folder } })
  const command = { program: 'sh', args: ['-c', script], timeoutMs }
  const { stdout, stderr } = await commands.run(command, new AbortController().signal)
  const read = await watch.stop()
  const problem =
    stdout === 'ok\n'
      ? await findWrongWrites(workspace, folder)
      : stderr.trim().split('\n').at(-1) || 'the command failed'
  if (problem !== undefined) {
    return {
      reads: 'none',
      writes: 'none',
      reason: `An overlay over the workspace does not work in ${trial.folder}: ${problem}.`,
      fix: 'Use a state folder on a local file system such as ext4, XFS or Btrfs (--state).',
    }
  }
  return reportReads(watch, read)
}

function reportReads(watch: ReadWatch, read: readonly string[] | undefined): ObservationReport {
  const isRight = read?.includes('src/read') === true && !read.includes('unread')
  if (isRight) {
    return { reads: 'inotify', writes: 'overlay', reason: 'A trial observed reads and writes.' }
  }
  const why = watch.problem ?? 'a trial did not observe its reads'
  return {
    reads: 'none',
    writes: 'overlay',
    reason: `Reads cannot be observed: ${why.replace(/\.+$/, '')}.`,
    fix: 'Install Loopwright with its optional dependencies, and allow inotify (fs.inotify in sysctl).',
  }
}

/** Undefined: all writes are in the upper layer, and none is in the workspace. */
async function findWrongWrites(workspace: string, folder: string): Promise<string | undefined> {
  const list = async (path: string): Promise<string> =>
    (await readdir(path, { recursive: true })).toSorted().join(' ')
  const isUnchanged =
    (await list(workspace)) === 'changed src src/read src/removed unread' &&
    (await readFile(join(workspace, 'changed'), 'utf8')) === 'as-it-was\n'
  if (!isUnchanged) return 'the folder on disk was changed'
  const upper = await list(join(folder, 'upper'))
  return upper === 'changed made made/file src src/removed' ? undefined : 'writes were not observed'
}
