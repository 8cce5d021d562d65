/** Certifies merged files with the checks of a run that no process drives: its loop file is read again. */

import { randomUUID } from 'node:crypto'
import { loadRun, type RunRow } from '../../engine/index.ts'
import { defined, LoopError, type RunWorktree, type Signal, textOf } from '../../loop/index.ts'
import type { HostPorts } from '../../runs/host-ports.ts'
import type { Repository } from '../../workspace/index.ts'
import { createTreeReader } from '../../workspace/tree-reader.ts'
import { createJudgeBudget } from '../calibrate/money.ts'
import type { LaunchHost } from '../launch-host.ts'
import { loadLoop } from '../load-loop.ts'
import type { LoadedLoop } from '../loaded-loop.ts'
import { openLoop } from '../open-loop.ts'
import { findLoopFile } from '../start/find-loop-file.ts'
import { createMergedCertifier, type MergedCertifier } from './certify-merged.ts'
import type { Candidate, LandingVerdict } from './landing.ts'

export type EndedRunHost = HostPorts & Pick<LaunchHost, 'models' | 'loopTypes'>

export interface EndedRun {
  readonly run: Pick<RunRow, 'id' | 'name'>
  readonly worktree: RunWorktree
  readonly repository: Repository
}

const spendingMax = 5_000_000

/** The loop file is needed only if the files are not those that the run was certified with. */
export const createEndedRunCertifier =
  (base: EndedRunHost, ended: EndedRun): MergedCertifier =>
  () => ({
    // Nothing is known about its checks before they are loaded.
    checks: randomUUID(),
    certify: (candidate, signal) => certify(base, ended, candidate, signal),
  })

async function certify(
  base: EndedRunHost,
  ended: EndedRun,
  candidate: Candidate,
  signal: Signal,
): Promise<LandingVerdict> {
  const { repository, run, worktree } = ended
  const stop = new AbortController()
  signal.addEventListener('abort', () => stop.abort(signal.reason), { once: true })
  const loaded = await loadAgain(base, ended, stop.signal)
  const { folder, blobs } = base
  const opened = await openLoop(loaded, {
    folder,
    workspace: repository.home,
    models: base.models,
    isForChecks: true,
    signal: stop.signal,
    baseFiles: () => ({
      tree: candidate.base,
      reader: createTreeReader({ blobs, folder, repository }),
    }),
    ...defined({ inner: worktree.folder, types: base.loopTypes }),
  })
  try {
    const place = {
      ...run,
      workspace: repository.home,
      checkout: repository.home,
      worktree,
      placed: { repository },
    }
    const money = createJudgeBudget(spendingMax)
    const { parts } = opened
    const certifier = createMergedCertifier(base, place, parts, parts.certifying)(money)
    return await certifier.certify(candidate, stop.signal)
  } finally {
    await opened.close()
  }
}

async function loadAgain(
  { journal, folder, loopTypes: types }: EndedRunHost,
  { run, worktree }: EndedRun,
  signal: AbortSignal,
): Promise<LoadedLoop> {
  const { state } = await loadRun(journal, run.id)
  try {
    return await loadLoop(findLoopFile({ run, state }), {
      folder,
      purpose: 'resume',
      onLine: () => undefined,
      signal,
      ...defined({ changes: state.source?.changes, types }),
    })
  } catch (error) {
    const message = `The target has changes that run "${run.name}" was not certified with, and its checks cannot be used:`
    throw new LoopError(
      'wrong-status',
      `${message} ${textOf(error)} Or merge it yourself: git merge ${worktree.branch}`,
      { cause: error },
    )
  }
}
