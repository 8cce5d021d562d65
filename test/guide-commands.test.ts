/** The commands in docs/guide.md work as written. */

import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { warmLoopctl } from './warm-loopctl.ts'

const root = new URL('..', import.meta.url).pathname
const loopctl = join(root, 'dist/cli/loopctl.js')
const base = mkdtempSync(join(tmpdir(), 'loopwright-guide-'))

afterAll(() => rmSync(base, { recursive: true, force: true }))

/** Commands that can be pasted; blocks with placeholders are not among them. */
const blocks = [
  ...readFileSync(join(root, 'docs/guide.md'), 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm),
]
  .map(([, block = '']) => block)
  .filter((block) => !block.includes('<'))

interface Said {
  readonly code: number
  readonly output: string
}

const env = { ...process.env, LOOPWRIGHT_STATE: join(base, 'state') }

/** A line of a block. A loopctl command without shell syntax needs no shell. */
async function runLine(line: string): Promise<Said> {
  const here = line.replaceAll('/tmp/', `${base}/`).replace(/\s+# .*/, '')
  const [, plain] = /^npx loopctl ([^|$;&<>"]*)$/.exec(here) ?? []
  if (plain === undefined) return runInShell(here)
  const words = [...plain.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word)
  const { code, stdout, stderr } = await warmLoopctl(words, env)
  return { code, output: `${stdout}${stderr}` }
}

function runInShell(line: string): Promise<Said> {
  const command = line.replaceAll('npx loopctl', `'${process.execPath}' '${loopctl}'`)
  return new Promise((resolve) => {
    execFile('/bin/sh', ['-e', '-c', command], { cwd: root, env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: `${stdout}${stderr}` })
    })
  })
}

test('docs/guide.md has commands to paste, which work one after the other', async () => {
  expect(blocks.length).toBeGreaterThan(3)
  for (const line of blocks.flatMap((block) => block.trimEnd().split('\n'))) {
    expect({ line, ...(await runLine(line)) }).toMatchObject({ line, code: 0 })
  }
})
