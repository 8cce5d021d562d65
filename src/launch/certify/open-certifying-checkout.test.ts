import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createAgents } from '../../agents/index.ts'
import { memoryBlobs } from '../../testing/memory-blobs.ts'
import { createDirectoryWorkspace } from '../../workspace/index.ts'
import { createTreeReader } from '../../workspace/tree-reader.ts'
import { openCertifyingCheckout } from './open-certifying-checkout.ts'
import type { PhaseClock } from './phase-times.ts'

/** Names the phases as they begin and end. */
function createRecordingClock(log: string[]): PhaseClock {
  return {
    async during(phase, work) {
      log.push(`${phase} {`)
      try {
        return await work()
      } finally {
        log.push('}')
      }
    },
    times: () => ({ sandbox: 0, dependencies: 0, checkout: 0, checks: 0, total: 0 }),
  }
}

test('whatever is opened before the checks, and closed after them, counts as set-up', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-certifying-checkout-'))
  try {
    const log: string[] = []
    const blobs = memoryBlobs()
    const tree = await createDirectoryWorkspace({ path: folder, blobs }).snapshot()
    const stateFolder = join(folder, 'state')
    const place = await openCertifyingCheckout(
      { tree, lockfileTree: tree, signal: new AbortController().signal },
      {
        reader: createTreeReader({ blobs, folder: stateFolder, repository: undefined }),
        blobs,
        stateFolder,
        repository: undefined,
        workspace: folder,
        clock: createRecordingClock(log),
        certifying: {
          certify: {
            dependencies: 'none',
            installScripts: [],
            require: 'work-alone',
            quick: false,
            consult: [],
            deadlineMs: 1000,
          },
          require: 'none',
          async open() {
            log.push('opens the sandbox of the checks')
            return {
              checks: [],
              agents: createAgents({}),
              sandbox: { tier: 'none', limits: 'none', attended: true },
              close: async () => void log.push('closes it'),
            }
          },
        },
      },
    )
    await place.checkout.reset(tree)
    await place.close()
    expect(log.join(' ').replaceAll('{ }', '{}')).toBe(
      [
        'dependencies {} sandbox {} checkout {}',
        'sandbox { opens the sandbox of the checks }',
        'checkout {}',
        'sandbox { closes it } checkout {} dependencies {}',
      ].join(' '),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
