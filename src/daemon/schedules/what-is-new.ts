/** E8. What a run of a loop would work on that can change without it: its files, and what it gathers. */

import { createHash } from 'node:crypto'
import { homedir } from 'node:os'
import { moreChecks, runWorktree } from '../../definition/config/apply-settings.ts'
import { loopDefaults } from '../../definition/config/loop-defaults.ts'
import type { Host } from '../../host/host.ts'
import { loadLoop } from '../../launch/load-loop.ts'
import type { LoadedLoop } from '../../launch/loaded-loop.ts'
import { createGather } from '../../launch/loop-ports/gather.ts'
import { policyOfProject } from '../../launch/policy/open-run-policy.ts'
import type { ReadLoops } from '../../launch/read-loops.ts'
import { workspaceFor } from '../../launch/start/workspace-for.ts'
import { defined, type OutsideDigests } from '../../loop/index.ts'
import { outsideOf } from '../../loops/context/gather.ts'
import { loopTypes } from '../../loops/index.ts'
import type { NewRunRequest } from '../../protocol/api/index.ts'
import type { GatherSource } from '../../protocol/index.ts'
import { createDirectoryWorkspace, openHistory } from '../../workspace/index.ts'

export interface WhatIsNew {
  readonly outside: OutsideDigests
  /** Of everything that would make a run a new one. */
  readonly fingerprint: string
}

export interface NewsParts {
  readonly host: Host
  readonly reads?: ReadLoops
  readonly signal: AbortSignal
}

/** Undefined: the loop gathers nothing, so that nothing is known about what is new. Rejects as loading does. */
export async function findWhatIsNew(
  parts: NewsParts,
  request: NewRunRequest,
): Promise<WhatIsNew | undefined> {
  const { host, reads, signal } = parts
  const { file, input, here, settings = {} } = request
  const options = {
    folder: host.folder,
    here: here ?? homedir(),
    defaultModel: settings.model,
    ...moreChecks(settings.checks),
    ...(await loopDefaults(settings)),
    ...(await policyOfProject(settings.policy)),
    onLine: () => undefined,
    ...defined({ input, signal, types: host.loopTypes }),
  }
  const loaded = await loadLoop(file, options, reads)
  const sources = gatheredBy(loaded, host)
  if (sources.length === 0) return undefined
  const workspace = workspaceFor(request.workspace, loaded)
  const outside = outsideOf(await createGather({ workspace })(sources, signal))
  const given = [
    { digest: loaded.source.digest, input: loaded.input, settings },
    {
      tree: await treeOf(host, workspace, runWorktree(loaded.worktree, settings, request.worktree)),
    },
    { outside },
  ]
  return { outside, fingerprint: createHash('sha256').update(JSON.stringify(given)).digest('hex') }
}

function gatheredBy(
  { definition: { file, typed } }: LoadedLoop,
  { loopTypes: types = loopTypes }: Host,
): readonly GatherSource[] {
  const type = types.find(({ name }) => name === typed?.loopType)
  return type?.gathers?.(file.settings) ?? []
}

/** The commit that a worktree would start from, or the files themselves. */
async function treeOf(
  { blobs }: Host,
  workspace: string,
  { use, base = 'HEAD' }: ReturnType<typeof runWorktree>,
): Promise<string> {
  const history = use === false ? undefined : await openHistory(workspace).catch(() => undefined)
  const commit = await history?.resolve(base)
  if (commit !== undefined) return commit
  return createDirectoryWorkspace({ path: workspace, blobs }).snapshot()
}
