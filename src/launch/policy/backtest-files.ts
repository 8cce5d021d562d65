/** Backtests policy files over the runs of a state folder. */

import { resolve } from 'node:path'
import { createPolicy } from '../../authority/policy/create-policy.ts'
import { createClassify } from '../../evidence/index.ts'
import type { HostPorts } from '../../runs/host-ports.ts'
import { createTreeStore } from '../../workspace/tree-store.ts'
import { type Backtest, backtest } from './backtest.ts'
import { readPolicyFile } from './open-run-policy.ts'
import type { CountFiles, FileCounts } from './replay-requests.ts'

/** All files together, as if they were enforced. Rejects with `bad-policy`. */
export async function backtestFiles(
  host: Pick<HostPorts, 'folder' | 'journal' | 'blobs'>,
  files: readonly string[],
  signal?: AbortSignal,
): Promise<Backtest> {
  const sources = await Promise.all(
    files.map(async (file) => {
      const { text } = await readPolicyFile(resolve(file))
      return { file, text, mode: 'enforce' as const }
    }),
  )
  const policy = await createPolicy(sources)
  const needsFiles = sources.some(({ text }) => /filesChanged|sealedTouched/.test(text))
  return backtest(host.journal, policy, {
    ...(needsFiles ? { countFiles: createCounter(host) } : {}),
    ...(signal === undefined ? {} : { signal }),
  })
}

/** Trees that are gone, such as those of a removed repository, count as unchanged. */
function createCounter(host: Pick<HostPorts, 'folder' | 'journal' | 'blobs'>): CountFiles {
  const trees = createTreeStore(host)
  const classify = createClassify({}, { has: () => false, loaded: new Map() })
  const known = new Map<string, FileCounts>()
  return async (base, tree) => {
    const key = `${base} ${tree}`
    const before = known.get(key)
    if (before !== undefined) return before
    const { files } = await trees
      .compare(base, tree, { patch: false })
      .catch(() => ({ files: [] as readonly { readonly path: string }[] }))
    const sealedTouched = files.filter(({ path }) => classify(path) !== undefined).length
    const counted = { filesChanged: files.length, sealedTouched }
    known.set(key, counted)
    return counted
  }
}
