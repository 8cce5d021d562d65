import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readKeys } from './read-keys.ts'

let folder = ''
let file = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loopwright-keys-'))
  file = join(folder, 'keys')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('keys are found under the names that the providers use', async () => {
  const env = {
    ANTHROPIC_API_KEY: ' a ',
    GOOGLE_API_KEY: 'g',
    MY_SERVER_API_KEY: 'm',
    OPENAI_API_KEY: '',
  }
  const keys = await readKeys({ env })
  expect(['anthropic', 'google', 'my-server', 'openai', 'toString'].map(keys)).toEqual([
    'a',
    'g',
    'm',
    undefined,
    undefined,
  ])
})

test('the file supplies what the environment does not', async () => {
  await writeFile(
    file,
    '# mine\nANTHROPIC_API_KEY=from-file\nexport OPENAI_API_KEY="quoted"\nbad line\n',
    {
      mode: 0o600,
    },
  )
  const keys = await readKeys({ env: { ANTHROPIC_API_KEY: 'from-env' }, file })
  expect(['anthropic', 'openai', 'google'].map(keys)).toEqual(['from-env', 'quoted', undefined])
})

test('a file that others can read is refused, and the message does not contain its keys', async () => {
  await writeFile(file, 'ANTHROPIC_API_KEY=from-file\n')
  await chmod(file, 0o640)
  const refusal = readKeys({ env: {}, file })
  await expect(refusal).rejects.toThrow(`chmod 600 ${file}`)
  await expect(refusal).rejects.not.toThrow('from-file')
})

test('a missing file is fine; a folder is not', async () => {
  expect((await readKeys({ env: {}, file: join(folder, 'absent') }))('anthropic')).toBeUndefined()
  await expect(readKeys({ env: {}, file: folder })).rejects.toThrow('not a key file')
})
