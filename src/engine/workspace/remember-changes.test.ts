import { expect, test } from 'vitest'
import type { TreeId } from '../../loop/index.ts'
import type { Workspace } from '../ports.ts'
import { rememberChanges } from './remember-changes.ts'

const tree = (name: string): TreeId => name as TreeId

function counted(fails = 0): { readonly workspace: Workspace; readonly compared: string[] } {
  const compared: string[] = []
  const workspace: Workspace = {
    path: '/w',
    exists: async () => true,
    snapshot: async () => tree('a'),
    restore: async () => undefined,
    async changes(before, after) {
      compared.push(`${before} ${after}`)
      if (compared.length <= fails) throw new Error('git failed')
      return [`${before}-${after}`]
    },
  }
  return { workspace, compared }
}

test('two trees are compared once, and in each direction', async () => {
  const { workspace, compared } = counted()
  const { changes } = rememberChanges(workspace)
  const lists = await Promise.all([
    changes?.(tree('a'), tree('b')),
    changes?.(tree('a'), tree('b')),
    changes?.(tree('b'), tree('a')),
  ])
  expect(lists).toEqual([['a-b'], ['a-b'], ['b-a']])
  expect(compared).toEqual(['a b', 'b a'])
})

test('a comparison that failed is made again', async () => {
  const { workspace } = counted(1)
  const { changes } = rememberChanges(workspace)
  await expect(changes?.(tree('a'), tree('b'))).rejects.toThrow('git failed')
  expect(await changes?.(tree('a'), tree('b'))).toEqual(['a-b'])
})

test('E9: only the last few lists are kept', async () => {
  const { workspace, compared } = counted()
  const { changes } = rememberChanges(workspace)
  for (const name of ['b', 'c', 'd', 'e', 'f', 'f', 'b']) await changes?.(tree('a'), tree(name))
  expect(compared).toEqual(['a b', 'a c', 'a d', 'a e', 'a f', 'a b'])
})

test('a workspace without comparison stays without', () => {
  const { changes: _none, ...workspace } = counted().workspace
  expect(rememberChanges(workspace).changes).toBeUndefined()
})
