import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { findEditableFolders, makeProgramsPortable, toPortableScript } from './relocate-venv.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function newVenv(files: Readonly<Record<string, string>>): string {
  const venv = mkdtempSync(join(tmpdir(), 'loopwright-venv-'))
  folders.push(venv)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(venv, path, '..'), { recursive: true })
    writeFileSync(join(venv, path), text)
  }
  return venv
}

test.each([
  ['#!/home/me/app/.venv/bin/python3.11\nimport sys\n', '#!/usr/bin/env python3\nimport sys\n'],
  [
    `#!/bin/sh\n'''exec' "/home/a b/.venv/bin/python" "$0" "$@"\n' '''\nimport sys\n`,
    '#!/usr/bin/env python3\nimport sys\n',
  ],
  ['#!/bin/sh\necho\n', undefined],
  ['\x7fELF', undefined],
])('a Python script starts the Python on the PATH: %j', (text, expected) => {
  expect(toPortableScript(text)).toBe(expected)
})

test('links and other programs stay unchanged', () => {
  const venv = newVenv({ 'bin/tool': '#!/x/.venv/bin/python\n1\n', 'bin/activate': 'export A\n' })
  symlinkSync('/usr/bin/python3', join(venv, 'bin/python'))
  makeProgramsPortable(venv)
  expect(readFileSync(join(venv, 'bin/tool'), 'utf8')).toBe('#!/usr/bin/env python3\n1\n')
  expect(readFileSync(join(venv, 'bin/activate'), 'utf8')).toBe('export A\n')
})

test('editable packages are found in .pth files and in finders of setuptools', () => {
  const site = 'lib/python3.11/site-packages'
  const venv = newVenv({
    [`${site}/_app.pth`]: '/home/me/app/src\n',
    [`${site}/other.pth`]: '/home/me/elsewhere\nimport os\n',
    [`${site}/__editable___flat_finder.py`]:
      "MAPPING: dict[str, str] = {'flat': '/home/me/app/flat', 'b': '/home/me/app/lib/b'}\n",
  })
  expect(findEditableFolders(venv, '/home/me/app')).toEqual(['', 'lib', 'src'])
  expect(findEditableFolders(venv, '/home/me/third')).toEqual([])
})
