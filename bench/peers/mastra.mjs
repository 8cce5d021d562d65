// Mastra workflow on its libSQL store: a snapshot of the whole run at every step.
import { join } from 'node:path'
import { Mastra } from '@mastra/core'
import { createStep, createWorkflow } from '@mastra/core/workflows'
import { LibSQLStore } from '@mastra/libsql'
import { z } from 'zod'
import { expectEqual, packageVersion, prompt, runPeer, synchronousNames } from './workload.mjs'

const message = z.object({ role: z.string(), content: z.string() })
const shape = z.object({ i: z.number(), turn: z.string(), messages: z.array(message) })

function buildWorkflow(loop) {
  // One step that takes turns, not a nested workflow of two: the cheaper of the two shapes here.
  const step = createStep({
    id: 'turn',
    inputSchema: shape,
    outputSchema: shape,
    execute: async ({ inputData: { i, turn, messages } }) => {
      const kept = loop.history ? messages : []
      if (turn === 'model') {
        const content = await loop.model(i, messages)
        return { i, turn: 'tool', messages: [...kept, { role: 'assistant', content }] }
      }
      const content = await loop.tool(i)
      return { i: i + 1, turn: 'model', messages: [...kept, { role: 'tool', content }] }
    },
  })
  return createWorkflow({ id: 'loop', inputSchema: shape, outputSchema: shape })
    .dountil(step, async ({ inputData }) => inputData.i >= loop.iterations)
    .commit()
}

async function run(loop, { dir, sync }) {
  const storage = new LibSQLStore({ id: 'bench', url: `file:${join(dir, 'mastra.db')}` })
  await storage.init()
  // The store asks for NORMAL while it opens; the client is private in the types only.
  await storage.client.execute(`pragma synchronous = ${sync}`)
  const mastra = new Mastra({ storage, workflows: { loop: buildWorkflow(loop) }, logger: false })
  const workflowRun = await mastra.getWorkflow('loop').createRun({ runId: 'run' })
  loop.start()
  const result = await workflowRun.start({
    inputData: { i: 0, turn: 'model', messages: [prompt] },
  })
  loop.stop()
  expectEqual(result.status, 'success')

  const workflows = await storage.getStore('workflows')
  const stored = await workflows.loadWorkflowSnapshot({ workflowName: 'loop', runId: 'run' })
  expectEqual(stored.result.i, loop.iterations)
  if (loop.history) expectEqual(stored.result.messages.length, 2 * loop.iterations + 1)
  const { rows } = await storage.client.execute('pragma synchronous')
  // Closing leaves the write-ahead log to the garbage collector; the size is read before that.
  await storage.client.execute('pragma wal_checkpoint(truncate)')
  await mastra.shutdown()
  await storage.close()
  return { sync: synchronousNames[Number(rows[0].synchronous)] }
}

await runPeer({
  name: 'mastra',
  version: '@mastra/core',
  store: `@mastra/libsql ${packageVersion('@mastra/libsql')}`,
  historyKept: 'whole, one row overwritten',
  sync: ['FULL', 'NORMAL'],
  run,
})
