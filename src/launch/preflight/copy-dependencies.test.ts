import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { copyDependencies } from './copy-dependencies.ts'

const signal = new AbortController().signal

function createFolders(): { readonly from: string; readonly workspace: string } {
  const top = mkdtempSync(join(tmpdir(), 'bring-'))
  const [from, workspace] = [join(top, 'layer'), join(top, 'work')]
  mkdirSync(join(from, 'ufo'), { recursive: true })
  writeFileSync(join(from, 'ufo', 'index.js'), '')
  mkdirSync(workspace)
  return { from, workspace }
}

test('an interrupted copy is repeated, and a complete one stays', async () => {
  const { from, workspace } = createFolders()
  const target = join(workspace, 'node_modules')
  mkdirSync(target)
  writeFileSync(join(target, '.loopwright-copying'), '')
  writeFileSync(join(target, 'half'), '')
  const folders = [{ from, to: 'node_modules' }]
  expect(await copyDependencies(folders, workspace, signal)).toEqual(['node_modules'])
  expect(readdirSync(target)).toEqual(['ufo'])
  writeFileSync(join(target, 'own'), '')
  expect(await copyDependencies(folders, workspace, signal)).toEqual(['node_modules'])
  expect(readdirSync(target).toSorted()).toEqual(['own', 'ufo'])
})

test('an aborted copy leaves nothing behind', async () => {
  const { from, workspace } = createFolders()
  const stopped = AbortSignal.abort()
  await expect(
    copyDependencies([{ from, to: 'node_modules' }], workspace, stopped),
  ).rejects.toThrow('aborted')
  expect(existsSync(join(workspace, 'node_modules'))).toBe(false)
})

test('links in the files stay, and nothing is written or removed through them', async () => {
  const { from, workspace } = createFolders()
  const outside = mkdtempSync(join(tmpdir(), 'outside-'))
  writeFileSync(join(outside, '.loopwright-copying'), '')
  symlinkSync(outside, join(workspace, 'node_modules'))
  mkdirSync(join(workspace, 'a'))
  symlinkSync('/nowhere', join(workspace, 'a', 'node_modules'))
  symlinkSync(outside, join(workspace, 'b'))
  const folders = ['node_modules', 'a/node_modules', 'b/node_modules'].map((to) => ({ from, to }))
  await copyDependencies(folders, workspace, signal)
  expect(lstatSync(join(workspace, 'node_modules')).isSymbolicLink()).toBe(true)
  expect(lstatSync(join(workspace, 'a', 'node_modules')).isSymbolicLink()).toBe(true)
  expect(readdirSync(outside)).toEqual(['.loopwright-copying'])
})
