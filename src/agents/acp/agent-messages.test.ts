import type { AnyMessage } from '@agentclientprotocol/sdk'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ProgramEvent } from '../programs/agent-program.ts'
import { type AgentMessages, createAgentMessages } from './agent-messages.ts'
import { createSessionUpdates } from './session-updates.ts'

interface Heard {
  readonly messages: AgentMessages
  readonly passed: AnyMessage[]
  readonly told: string[]
}

function listen(limits: Partial<Parameters<typeof createAgentMessages>[0]> = {}): Heard {
  const passed: AnyMessage[] = []
  const told: string[] = []
  const messages = createAgentMessages(
    { bytesMax: 10_000, messagesMax: 1000, noiseLinesMax: 3, ...limits },
    { onMessage: (one) => passed.push(one), onNotification: (method) => told.push(method) },
  )
  return { messages, passed, told }
}

const line = (message: object): string => JSON.stringify({ jsonrpc: '2.0', ...message })

test('a response passes once, and only if it was requested', () => {
  const { messages, passed } = listen()
  const answer = line({ id: 1, result: {} })
  messages.received(answer)
  messages.sent({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} })
  messages.received(answer)
  messages.received(answer)
  expect(passed).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }])
  expect(messages.noise).toBe(answer)
})

test('requests pass, notifications are handled separately', () => {
  const { messages, passed, told } = listen()
  messages.received(line({ id: 'a', method: 'session/request_permission', params: {} }))
  messages.received(line({ method: 'session/update', params: {} }))
  expect(passed).toHaveLength(1)
  expect(told).toEqual(['session/update'])
})

test('a few lines that are not messages are tolerated, and a valid message resets the count', () => {
  const { messages } = listen()
  for (const noise of ['hello', '[1]', '{"jsonrpc":"1.0","method":"x"}'])
    expect(messages.received(noise)).toBeUndefined()
  expect(messages.received(line({ method: 'x' }))).toBeUndefined()
  const rest = [line({ id: {}, method: 'x' }), line({ id: 1, method: 7 }), 'null', '"x"']
  expect(rest.map(messages.received)).toEqual([
    undefined,
    undefined,
    undefined,
    expect.stringContaining('not messages'),
  ])
})

test('the output is limited, in bytes and in messages', () => {
  const note = line({ method: 'x' })
  const few = listen({ messagesMax: 2 }).messages
  expect([note, note, note].map(few.received)).toEqual([undefined, undefined, 'it sent too much'])
  const small = listen({ bytesMax: note.length }).messages
  expect([note, note].map(small.received)).toEqual([undefined, 'it sent too much'])
})

const updateNames = [
  'agent_message_chunk',
  'tool_call',
  'tool_call_update',
  'plan',
  'usage_update',
  'made_up',
]
const odd = fc.oneof(fc.jsonValue(), fc.constantFrom('completed', 'failed', 'call-1', 'edit'))
const update = fc.record(
  {
    sessionUpdate: fc.constantFrom(...updateNames),
    toolCallId: odd,
    title: odd,
    kind: odd,
    status: odd,
    entries: odd,
    content: fc.oneof(odd, fc.record({ type: fc.constant('text'), text: odd })),
  },
  { requiredKeys: [] },
)

test('any input is accepted without an error, and the reason is short', () => {
  const events: ProgramEvent[] = []
  const updates = createSessionUpdates((event) => events.push(event))
  const any = fc.oneof(
    fc.string(),
    fc.json(),
    fc.record({ update }).map((params) => line({ method: 'session/update', params })),
    fc.tuple(fc.json(), fc.nat(50)).map(([json, cut]) => json.slice(0, cut)),
  )
  const handlers = {
    onMessage: () => {},
    onNotification: (_method: string, params: unknown) => updates.update(params),
  }
  const limits = { bytesMax: 1e9, messagesMax: 1e9, noiseLinesMax: 1e9 }
  const messages = createAgentMessages(limits, handlers)
  fc.assert(
    fc.property(any, (text) => {
      messages.received(text)
      updates.asked({ toolCallId: text, kind: text })
    }),
    { numRuns: 5000 },
  )
  updates.end()
  for (const event of events) expect(JSON.stringify(event).length).toBeLessThan(10_000)
  expect(updates.text().length).toBeLessThanOrEqual(20_000)
})
