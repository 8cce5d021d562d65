import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readSmallFile, readSmallFileSync } from './small-file.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loopwright-small-file-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const variants = [
  { name: 'readSmallFile', read: readSmallFile },
  {
    name: 'readSmallFileSync',
    read: async (path: string, max: number): Promise<string> => readSmallFileSync(path, max),
  },
]

test.each(variants)('$name reads a whole file and rejects one over the limit', async (variant) => {
  const file = join(folder, 'a.txt')
  await writeFile(file, 'zwölf')
  expect(await variant.read(file, 6)).toBe('zwölf')
  await expect(variant.read(file, 5)).rejects.toThrow('too large')
  await writeFile(file, '')
  expect(await variant.read(file, 0)).toBe('')
})

test.each(variants)('$name rejects pipes, devices, folders and symlinks', async (variant) => {
  execFileSync('mkfifo', [join(folder, 'pipe')])
  await mkdir(join(folder, 'folder'))
  await writeFile(join(folder, 'real'), 'x')
  await symlink('real', join(folder, 'link'))
  for (const path of [join(folder, 'pipe'), join(folder, 'folder'), '/dev/zero']) {
    await expect(variant.read(path, 10)).rejects.toThrow('is not a regular file')
  }
  await expect(variant.read(join(folder, 'link'), 10)).rejects.toThrow('ELOOP')
})
