import { expect, test } from 'vitest'
import { createTurns, newTurn, readTurn, type TurnReading } from './turn.ts'

const answer = (stop: string, ...calls: readonly string[]): TurnReading => {
  const turn = newTurn()
  const content = calls.map((id) => ({ type: 'tool_use', id, name: 'run', input: {} }))
  readTurn('anthropic', { content, stop_reason: stop }, turn)
  return turn
}

const question = (text: string): Buffer => Buffer.from(JSON.stringify({ messages: [text] }))

test('work is over when the model called nothing, and what it called before has come back', () => {
  const turns = createTurns()
  turns.asked(question('go'), true)
  turns.answered(answer('tool_use', 'call_1'), true)
  expect(turns.last).toBe('calls')
  turns.asked(question('result of call_1'), true)
  turns.answered(answer('end_turn'), true)
  expect(turns.last).toBe('final')
})

test('a title or a summary that is asked for besides does not end the work', () => {
  const turns = createTurns()
  turns.asked(question('go'), true)
  turns.answered(answer('tool_use', 'call_1'), true)
  // It may even repeat what was called.
  turns.asked(question('a title, please, for: call_1'), false)
  turns.answered(answer('end_turn'), false)
  expect(turns.last).toBe('calls')
  turns.asked(question('result of call_1'), true)
  turns.answered(answer('end_turn'), true)
  turns.asked(question('a summary, please'), false)
  turns.answered(undefined, false)
  expect(turns.last).toBe('final')
})

test('an agent that never offers tools is over when the model is', () => {
  const turns = createTurns()
  turns.asked(question('go'), false)
  turns.answered(answer('end_turn'), false)
  expect(turns.last).toBe('final')
  turns.asked(question('more'), false)
  turns.answered(answer('max_tokens'), false)
  expect(turns.last).toBe('other')
})
