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

const ways = [
  { name: 'waiting', read: readSmallFile },
  {
    name: 'at once',
    read: async (path: string, most: number): Promise<string> => readSmallFileSync(path, most),
  },
]

test.each(ways)('a file is read to its end and no further than allowed, $name', async (way) => {
  const file = join(folder, 'a.txt')
  await writeFile(file, 'zwölf')
  expect(await way.read(file, 6)).toBe('zwölf')
  await expect(way.read(file, 5)).rejects.toThrow('too long')
  await writeFile(file, '')
  expect(await way.read(file, 0)).toBe('')
})

test.each(ways)('pipes, devices, folders and links are not read, $name', async (way) => {
  execFileSync('mkfifo', [join(folder, 'pipe')])
  await mkdir(join(folder, 'folder'))
  await writeFile(join(folder, 'real'), 'x')
  await symlink('real', join(folder, 'link'))
  for (const path of [join(folder, 'pipe'), join(folder, 'folder'), '/dev/zero']) {
    await expect(way.read(path, 10)).rejects.toThrow('is not a file')
  }
  await expect(way.read(join(folder, 'link'), 10)).rejects.toThrow('ELOOP')
})
