import { expect, test } from 'vitest'
import { createTurns, emptyTurn, readTurn, type TurnReading } from './turn.ts'

const answer = (stop: string, ...calls: readonly string[]): TurnReading => {
  const turn = emptyTurn()
  const content = calls.map((id) => ({ type: 'tool_use', id, name: 'run', input: {} }))
  readTurn('anthropic', { content, stop_reason: stop }, turn)
  return turn
}

const question = (text: string): Buffer => Buffer.from(JSON.stringify({ messages: [text] }))

test('the work is over when the model called no tool and all earlier calls have returned', () => {
  const turns = createTurns()
  turns.asked(question('go'), true)
  turns.answered(answer('tool_use', 'call_1'), true)
  expect(turns.last).toBe('calls')
  turns.asked(question('result of call_1'), true)
  turns.answered(answer('end_turn'), true)
  expect(turns.last).toBe('final')
})

test('a side request for a title or a summary does not end the work', () => {
  const turns = createTurns()
  turns.asked(question('go'), true)
  turns.answered(answer('tool_use', 'call_1'), true)
  // It may even repeat a call.
  turns.asked(question('a title, please, for: call_1'), false)
  turns.answered(answer('end_turn'), false)
  expect(turns.last).toBe('calls')
  turns.asked(question('result of call_1'), true)
  turns.answered(answer('end_turn'), true)
  turns.asked(question('a summary, please'), false)
  turns.answered(undefined, false)
  expect(turns.last).toBe('final')
})

test('an agent that never offers tools is done when the model is', () => {
  const turns = createTurns()
  turns.asked(question('go'), false)
  turns.answered(answer('end_turn'), false)
  expect(turns.last).toBe('final')
  turns.asked(question('more'), false)
  turns.answered(answer('max_tokens'), false)
  expect(turns.last).toBe('other')
})
