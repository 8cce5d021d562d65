// LangGraph.js with its SQLite checkpointer; `--channel delta` keeps messages in a DeltaChannel.
import { join } from 'node:path'
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import {
  Annotation,
  END,
  MessagesAnnotation,
  MessagesDeltaValue,
  START,
  StateGraph,
  StateSchema,
} from '@langchain/langgraph'
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite'
// Version 13 by an override: 12, which the saver asks for, has to be compiled on many machines.
import Database from 'better-sqlite3'
import { expectEqual, packageVersion, prompt, runPeer, synchronousNames } from './workload.mjs'

// Nothing of the run may leave the machine, whatever the environment says.
process.env.LANGSMITH_TRACING = process.env.LANGCHAIN_TRACING_V2 = 'false'

// Taken off before the shared options are read.
const channelAt = process.argv.indexOf('--channel')
const delta = channelAt > 0 && process.argv.splice(channelAt, 2)[1] === 'delta'

function buildGraph(loop, saver) {
  return (loop.history ? messagesGraph(loop) : counterGraph(loop)).compile({ checkpointer: saver })
}

const iteration = ({ messages }) => Math.floor((messages.length - 1) / 2)

function messagesGraph(loop) {
  const state = delta ? new StateSchema({ messages: MessagesDeltaValue }) : MessagesAnnotation
  return new StateGraph(state)
    .addNode('model', async (s) => {
      const i = iteration(s)
      const content = await loop.model(i, s.messages)
      const call = { id: `call-${i}`, name: 'tool', args: { i } }
      return { messages: [new AIMessage({ content, tool_calls: [call] })] }
    })
    .addNode('tool', async (s) => {
      const i = iteration(s)
      const content = await loop.tool(i)
      return { messages: [new ToolMessage({ content, tool_call_id: `call-${i}` })] }
    })
    .addEdge(START, 'model')
    .addEdge('model', 'tool')
    .addConditionalEdges('tool', (s) => (iteration(s) < loop.iterations ? 'model' : END))
}

function counterGraph(loop) {
  const state = Annotation.Root({ i: Annotation(), text: Annotation(), result: Annotation() })
  return new StateGraph(state)
    .addNode('model', async ({ i }) => ({ text: await loop.model(i) }))
    .addNode('tool', async ({ i }) => ({ result: await loop.tool(i), i: i + 1 }))
    .addEdge(START, 'model')
    .addEdge('model', 'tool')
    .addConditionalEdges('tool', ({ i }) => (i < loop.iterations ? 'model' : END))
}

async function run(loop, { dir, sync }) {
  const file = join(dir, 'langgraph.db')
  const db = new Database(file)
  const saver = new SqliteSaver(db)
  saver.setup()
  // The saver sets only WAL, which leaves the level to how the library was compiled.
  db.pragma(`synchronous = ${sync}`)
  const graph = buildGraph(loop, saver)
  const configurable = { thread_id: 'run' }
  loop.start()
  await graph.invoke(loop.history ? { messages: [new HumanMessage(prompt.content)] } : { i: 0 }, {
    configurable,
    recursionLimit: 2 * loop.iterations + 2,
    // 'sync' writes each step before the next one starts; the default may lose the newest.
    durability: 'sync',
  })
  loop.stop()
  const effective = synchronousNames[db.pragma('synchronous', { simple: true })]
  db.close()

  const again = new Database(file)
  const { values } = await buildGraph(loop, new SqliteSaver(again)).getState({ configurable })
  expectEqual(loop.history ? values.messages.length : values.i * 2 + 1, 2 * loop.iterations + 1)
  again.close()
  return { sync: effective }
}

await runPeer({
  name: delta ? 'langgraph-delta' : 'langgraph',
  version: '@langchain/langgraph',
  store: ['@langchain/langgraph-checkpoint-sqlite', 'better-sqlite3']
    .map((name) => `${name} ${packageVersion(name)}`)
    .join(', '),
  historyKept: delta ? 'deltas' : 'whole',
  sync: ['FULL', 'NORMAL'],
  run,
})
