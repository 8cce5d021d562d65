import { expect, test } from 'vitest'
import { agentProgram } from '../agents/index.ts'
import { modelFor, wholeModel } from './program-model.ts'

const [claude, opencode] = [agentProgram('claude'), agentProgram('opencode')]

test('a model is given as its provider calls it, and the usual one where none is named', () => {
  expect(modelFor(claude, undefined)).toBe(claude.model)
  expect(modelFor(claude, 'claude-opus-5')).toBe('claude-opus-5')
  expect(modelFor(claude, 'anthropic/claude-opus-5')).toBe('claude-opus-5')
  expect(modelFor(claude, 'us.claude/opus')).toBe('us.claude/opus')
})

test('a program that knows several providers is told which one, where it is not the usual', () => {
  expect(modelFor(opencode, 'anthropic/claude-opus-5')).toBe('claude-opus-5')
  expect(modelFor(opencode, 'openai/gpt-5.5')).toBe('openai/gpt-5.5')
  expect(() => modelFor(claude, 'openai/gpt-5.5')).toThrow('is one of openai')
})

test('a key is looked for at the one who is asked', () => {
  expect(wholeModel(claude, undefined)).toBe(`anthropic/${claude.model}`)
  expect(wholeModel(opencode, 'claude-opus-5')).toBe('anthropic/claude-opus-5')
  expect(wholeModel(opencode, 'google/gemini-2.5-pro')).toBe('google/gemini-2.5-pro')
})
