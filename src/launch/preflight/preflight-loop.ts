/** Runs the preflight of a loop file, without a run. */

import { defined } from '../../loop/index.ts'
import type { CertifySettings } from '../../protocol/index.ts'
import { chooseFiles } from '../certify/choose-files.ts'
import type { LaunchHost } from '../launch-host.ts'
import type { LoadedLoop } from '../loaded-loop.ts'
import { openLoop } from '../open-loop.ts'
import { type PreflightReport, runFirstStage } from './look-ahead.ts'
import { openPreflight } from './run-preflight.ts'

export interface PreflightOptions {
  readonly attended?: boolean
  /** Use the current files instead of the commit that is checked out. */
  readonly dirty?: boolean
  readonly dependencies?: CertifySettings['dependencies']
  readonly signal?: AbortSignal
  /** Called when a check starts; without a name: when the install of dependencies starts. */
  readonly onBegin?: (check?: string) => void
  /** Receives the findings of the first stage. */
  readonly onLooked?: (looked: PreflightReport['looked']) => void
}

export async function preflightLoop(
  host: LaunchHost,
  loaded: LoadedLoop,
  options: PreflightOptions = {},
): Promise<PreflightReport> {
  const { signal = new AbortController().signal, attended = false, onBegin } = options
  const { workspace, name } = loaded
  const looked = await runFirstStage(loaded, {
    workspace,
    folder: host.folder,
    attended,
    ...defined({ types: host.loopTypes }),
  })
  options.onLooked?.(looked)
  const found = { loop: name, looked }
  if (looked.some(({ status }) => status === 'problem')) return { ...found, ready: false }
  const chosen = await chooseFiles(host, loaded, { dirty: options.dirty === true })
  const opened = await openLoop(loaded, {
    folder: host.folder,
    workspace: chosen.folder,
    models: host.models,
    isForChecks: true,
    signal,
    attended,
    baseFiles: () => ({ reader: chosen.reader, tree: chosen.tree }),
    ...defined({ inner: chosen.inner, types: host.loopTypes }),
  })
  try {
    const { certifying } = opened.parts
    if (certifying === undefined) return { ...found, ready: true }
    const { certify } = certifying
    const place = {
      workspace: chosen.folder,
      checkout: undefined,
      worktree: undefined,
      placed: chosen.repository && { repository: chosen.repository },
    }
    const preflight = openPreflight(
      { ...host, clock: { now: () => Date.now() } },
      place,
      {
        ...certifying,
        certify: { ...certify, dependencies: options.dependencies ?? certify.dependencies },
      },
      () => undefined,
    )
    onBegin?.()
    const tried = await preflight.tryChecks({ base: chosen.tree, signal }, (check) =>
      onBegin?.(check),
    )
    return { ...found, tried, ready: tried.fault === undefined }
  } finally {
    await opened.close()
  }
}
