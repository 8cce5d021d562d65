import { execFileSync } from 'node:child_process'
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { copyFolder, measureFolder } from './copy-folder.ts'

const plenty = { files: 100, bytes: 1024 ** 2 }

function createFolder(): { readonly root: string; readonly from: string; readonly to: string } {
  const root = mkdtempSync(join(tmpdir(), 'loopwright-copy-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const from = join(root, 'from')
  mkdirSync(join(from, 'bin'), { recursive: true })
  writeFileSync(join(from, 'bin/run'), 'text', { mode: 0o755 })
  symlinkSync('../bin/run', join(from, 'bin/link'))
  return { root, from, to: join(root, 'to') }
}

test('a copy has the modes and links of the original, and other inodes', async () => {
  const { from, to } = createFolder()
  const isCopied = await copyFolder(from, to)
  // Elsewhere the files are copied one by one.
  expect(isCopied).toBe(process.platform === 'linux')
  if (!isCopied) return
  expect(lstatSync(join(to, 'bin/run')).mode & 0o777).toBe(0o755)
  expect(lstatSync(join(to, 'bin/run')).ino).not.toBe(lstatSync(join(from, 'bin/run')).ino)
  expect(readlinkSync(join(to, 'bin/link'))).toBe('../bin/run')
})

test('what cannot be read is not copied', async () => {
  const { root, to } = createFolder()
  expect(await copyFolder(join(root, 'missing'), to)).toBe(false)
})

test('a folder is measured, up to the limits', async () => {
  const { from } = createFolder()
  expect(await measureFolder(from, plenty)).toMatchObject({ files: 4 })
  expect(await measureFolder(from, { ...plenty, files: 3 })).toBeUndefined()
  expect(await measureFolder(from, { ...plenty, bytes: 3 })).toBeUndefined()
})

test('a folder with a special file is not measured', async () => {
  const { from } = createFolder()
  execFileSync('mkfifo', [join(from, 'pipe')])
  expect(await measureFolder(from, plenty)).toBeUndefined()
})
