// OpenWorkflow on its SQLite backend: results are steps, the history is rebuilt by replay.
import { join } from 'node:path'
import { OpenWorkflow } from 'openworkflow'
import { BackendSqlite } from 'openworkflow/sqlite'
import { expectEqual, prompt, runPeer, synchronousNames } from './workload.mjs'

async function run(loop, { dir, sync }) {
  const backend = BackendSqlite.connect(join(dir, 'openworkflow.db'))
  // The connection is private in the types only; there is no option for this setting.
  backend.db.exec(`pragma synchronous = ${sync}`)
  const client = new OpenWorkflow({ backend })
  const ended = Promise.withResolvers()
  const workflow = client.defineWorkflow({ name: 'loop' }, async ({ step }) => {
    try {
      const messages = [prompt]
      // Measured from inside: worker and client poll, which is latency and not the loop's cost.
      loop.start()
      for (let i = 0; i < loop.iterations; i++) {
        const text = await step.run({ name: `model-${i}` }, () => loop.model(i, messages))
        const result = await step.run({ name: `tool-${i}` }, () => loop.tool(i))
        if (!loop.history) continue
        messages.push({ role: 'assistant', content: text }, { role: 'tool', content: result })
      }
      loop.stop()
      ended.resolve()
    } catch (error) {
      ended.reject(error)
      throw error
    }
  })
  const worker = client.newWorker()
  const handle = await workflow.run({})
  await worker.start()
  await ended.promise
  await handle.result()
  await worker.stop()

  const query = `select count(*) as n from step_attempts where status in ('completed', 'succeeded')`
  expectEqual(backend.db.prepare(query).get().n, 2 * loop.iterations)
  const effective = synchronousNames[backend.db.prepare('pragma synchronous').get().synchronous]
  await backend.stop()
  return { sync: effective }
}

await runPeer({
  name: 'openworkflow',
  version: 'openworkflow',
  store: 'node:sqlite',
  historyKept: 'steps, replayed',
  sync: ['FULL', 'NORMAL'],
  // The library refuses a run with more than 1000 steps; an iteration is two.
  maxIterations: 500,
  run,
})
