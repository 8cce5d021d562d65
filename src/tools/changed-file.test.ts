import { expect, test } from 'vitest'
import { builtInTools } from './built-in-tools.ts'
import { createTools } from './create-tools.ts'

test('write and edit say which file they would change', () => {
  const commands = { run: () => Promise.reject(new Error('no commands')) }
  const tools = createTools({ tools: builtInTools({ commands }) })
  const at = (name: string, path: string): string | undefined =>
    tools.changes?.(name, { path }, { workspace: '/work' })
  expect(at('write', './src/../a.ts')).toBe('a.ts')
  expect(at('edit', '/work/b.ts')).toBe('b.ts')
  expect(at('write', '../c.ts')).toBeUndefined()
  expect(at('read', 'a.ts')).toBeUndefined()
})
