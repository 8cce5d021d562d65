// XState keeps no store of its own: each transition's persisted snapshot goes into one SQLite row.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { assign, createActor, createMachine } from 'xstate'
import { expectEqual, prompt, runPeer, synchronousNames } from './workload.mjs'

const remember = (history, context, message) =>
  history ? { messages: [...context.messages, message] } : { last: message }

function buildMachine(loop) {
  const more = ({ context }) => context.i + 1 < loop.iterations
  const answered = assign(({ context, event }) =>
    remember(loop.history, context, { role: 'assistant', content: event.text }),
  )
  const acted = assign(({ context, event }) => ({
    ...remember(loop.history, context, { role: 'tool', content: event.text }),
    i: context.i + 1,
  }))
  return createMachine({
    context: { i: 0, messages: [prompt], last: null },
    initial: 'model',
    states: {
      model: { on: { done: { target: 'tool', actions: answered } } },
      tool: {
        on: {
          done: [
            { guard: more, target: 'model', actions: acted },
            { target: 'finished', actions: acted },
          ],
        },
      },
      finished: { type: 'final' },
    },
  })
}

async function run(loop, { dir, sync }) {
  const db = new DatabaseSync(join(dir, 'xstate.db'))
  db.exec(`pragma journal_mode = wal; pragma synchronous = ${sync}`)
  db.exec('create table snapshot (id text primary key, body text not null)')
  const save = db.prepare(
    'insert into snapshot values (?, ?) on conflict (id) do update set body = excluded.body',
  )
  const machine = buildMachine(loop)
  const actor = createActor(machine).start()
  // The calls are made outside the machine: as invoked actors, XState would store their input,
  // and so the history, a second time in every snapshot.
  loop.start()
  for (let state = actor.getSnapshot(); state.status === 'active'; state = actor.getSnapshot()) {
    const { i, messages } = state.context
    const text = state.matches('model') ? await loop.model(i, messages) : await loop.tool(i)
    actor.send({ type: 'done', text })
    save.run('run', JSON.stringify(actor.getPersistedSnapshot()))
  }
  loop.stop()

  const snapshot = JSON.parse(db.prepare('select body from snapshot').get().body)
  const { context } = createActor(machine, { snapshot }).getSnapshot()
  expectEqual(context.i, loop.iterations)
  if (loop.history) expectEqual(context.messages.length, 2 * loop.iterations + 1)
  const effective = synchronousNames[db.prepare('pragma synchronous').get().synchronous]
  db.close()
  return { sync: effective }
}

await runPeer({
  name: 'xstate',
  version: 'xstate',
  store: 'node:sqlite',
  historyKept: 'whole, one row overwritten',
  sync: ['FULL', 'NORMAL'],
  run,
})
