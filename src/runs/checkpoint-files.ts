/** Exports checkpoints from the journal to files, and imports them into the journal of another machine. */

import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createRun, eventsAfter, load, readCreated, stateAt } from '../engine/index.ts'
import {
  checkpointTree,
  fromCheckpointFile,
  parseCheckpointFile,
  toCheckpointFile,
} from '../formats/index.ts'
import {
  changeLimits,
  defined,
  LoopError,
  listRunChecks,
  type RunState,
  type TreeId,
} from '../loop/index.ts'
import { type WorkspaceFile } from '../protocol/index.ts'
import { isWithoutGit, requireEmptyFolder, resolveWorkspace, sha256 } from '../system/index.ts'
import { createDirectoryWorkspace } from '../workspace/index.ts'
import { createTreeStore, withRestoreFolder } from '../workspace/tree-store.ts'
import type { Driver } from './driver.ts'
import type { HostPorts } from './host-ports.ts'
import { inFolder } from './place-run.ts'
import { requireKnownLimits } from './requests.ts'
import { createNamed } from './run-names.ts'
import type { Runs } from './runs.ts'

export function createCheckpointFiles(
  base: HostPorts,
  driver: Driver,
): Pick<Runs, 'exportCheckpoint' | 'restoreCheckpoint'> {
  const { journal, blobs } = base
  return {
    async exportCheckpoint(idOrName, options = {}) {
      const run = await journal.findRun(idOrName)
      const iteration = options.iteration ?? run.iteration
      const state = await stateAt(journal, run.id, iteration)
      const created = await readCreated(journal, run.id)
      const events = []
      for await (const event of eventsAfter(journal, run.id, 0, state.seq)) events.push(event)
      const tree = options.files === false ? undefined : checkpointTree(state)
      const kept = tree === undefined ? undefined : await createTreeStore(base).asBlobs(tree)
      const file = toCheckpointFile(
        {
          run: { id: run.id, name: run.name },
          state: kept === undefined ? state : renamed(state, tree, kept),
          events,
          input: await load(created.input, blobs),
          checks: options.checks ?? listRunChecks(state, tree).map(({ check }) => check),
          ...(kept === undefined ? {} : { files: await filesOf(base, kept) }),
        },
        sha256,
      )
      return `${JSON.stringify(file, null, 2)}\n`
    },
    async restoreCheckpoint(text, loop, options = {}) {
      const { input, limits, iteration, progress, origin, files, tree, ...rest } =
        fromCheckpointFile(parseCheckpointFile(text, sha256))
      if (rest.loop !== loop.name) {
        const message = `The checkpoint is of the loop "${rest.loop}", not "${loop.name}". Use that loop.`
        throw new LoopError('bad-checkpoint', message)
      }
      const given = requireKnownLimits(options.limits)
      const workspace = resolveWorkspace(options.workspace, base.folder)
      const known = files === undefined ? undefined : await keepFiles(base, files, tree)
      if (known !== undefined && workspace === undefined) throw needsWorkspace()
      if (known !== undefined) requireEmptyFolder(workspace, options.replaceFiles)
      const { spent, activeMs, unchanged, errors, evidence } = rest
      const run = await createNamed(options.name, (named) =>
        createRun(
          loop,
          base,
          {
            ...named,
            limits: changeLimits(limits, given),
            ...defined({ input, workspace }),
            withoutGit: isWithoutGit(workspace),
          },
          {
            origin,
            iteration,
            carried: { spent, activeMs, unchanged, errors, evidence },
            ...defined({ progress, tree: known }),
          },
        ),
      )
      return driver.drive(inFolder(run, workspace), loop, options)
    },
  }
}

/** Uses the tree id that blobs have, since other machines do not have the git objects. */
function renamed(state: RunState, before: TreeId | undefined, after: TreeId): RunState {
  if (before === after) return state
  const evidence = Object.entries(state.evidence).map(([check, found]) => [
    check,
    found.tree === before ? { ...found, tree: after } : found,
  ])
  return {
    ...state,
    evidence: Object.fromEntries(evidence) as RunState['evidence'],
    ...(state.open === undefined ? { tree: after } : { treeAtIterationStart: after }),
  }
}

const needsWorkspace = (): LoopError =>
  new LoopError('bad-request', 'The checkpoint has files. Pass the workspace to restore them into.')

async function filesOf(base: HostPorts, tree: TreeId): Promise<readonly WorkspaceFile[]> {
  const files: WorkspaceFile[] = []
  for await (const item of createTreeStore(base).readTree(tree)) {
    const { path } = item
    if (item.isText === false) throw notText(path)
    if (item.mode === 'directory') {
      files.push({ path, mode: 'directory', encoding: 'utf8', content: '' })
    } else if (item.mode === 'link') {
      files.push({ path, mode: 'symlink', encoding: 'utf8', content: item.target })
    } else {
      files.push({ path, mode: item.mode, ...encode(await base.blobs.get(item.blob)) })
    }
  }
  return files
}

const notText = (path: string): LoopError =>
  new LoopError(
    'bad-request',
    `The name or the link target of ${path} is not UTF-8 and cannot be written to a checkpoint file. ` +
      'Rename it, or export without files.',
  )

function encode(content: Buffer): Pick<WorkspaceFile, 'encoding' | 'content'> {
  const text = content.toString('utf8')
  return Buffer.from(text, 'utf8').equals(content)
    ? { encoding: 'utf8', content: text }
    : { encoding: 'base64', content: content.toString('base64') }
}

/** Stores the files as blobs, through a private folder. None of them is executed. */
async function keepFiles(
  base: HostPorts,
  files: readonly WorkspaceFile[],
  expected: TreeId | undefined,
): Promise<TreeId> {
  return withRestoreFolder(base.folder, async (place) => {
    for (const file of files) {
      await writeOne(place, file).catch((cause: unknown) => {
        throw cannotWrite(file, cause)
      })
    }
    const workspace = createDirectoryWorkspace({ path: place, blobs: base.blobs, exclude: [] })
    const tree = await workspace.snapshot()
    if (expected === undefined || tree === expected) return tree
    const message = 'The files of the checkpoint do not match its tree hash.'
    throw new LoopError('bad-checkpoint', `${message} Export it again.`)
  })
}

/** Parsing has checked the paths: they stay inside the folder, are unique, and none is below a link. */
async function writeOne(place: string, file: WorkspaceFile): Promise<void> {
  const path = join(place, file.path)
  await mkdir(file.mode === 'directory' ? path : dirname(path), { recursive: true })
  if (file.mode === 'directory') return
  const content = Buffer.from(file.content, file.encoding)
  if (file.mode === 'symlink') return symlink(content, path)
  await writeFile(path, content)
  await chmod(path, file.mode === 'executable' ? 0o755 : 0o644)
}

/** Names that no file system accepts are an error in the checkpoint; other errors are those of this disk. */
function cannotWrite(file: WorkspaceFile, cause: unknown): LoopError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const code = (cause as NodeJS.ErrnoException).code ?? ''
  const isBadName = ['ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE', 'EILSEQ', 'EINVAL'].includes(code)
  const next = isBadName ? 'Export it again.' : 'Free disk space, or choose another folder.'
  const message = `The file ${JSON.stringify(file.path.slice(0, 200))} cannot be written: ${reason}. ${next}`
  return new LoopError(isBadName ? 'bad-checkpoint' : 'store-failed', message, { cause })
}
