/** The commands of docs/guide.md work as they stand there, and those of other pages exist. */

import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createProgram } from '../src/cli/program.ts'
import { warmLoopctl } from './warm-loopctl.ts'

const root = new URL('..', import.meta.url).pathname
const loopctl = join(root, 'dist/cli/loopctl.js')
const base = mkdtempSync(join(tmpdir(), 'loopwright-guide-'))

afterAll(() => rmSync(base, { recursive: true, force: true }))

const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** What a person can paste; blocks with something to fill in are not among them. */
const blocks = [...read('docs/guide.md').matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
  .map(([, block = '']) => block)
  .filter((block) => !block.includes('<'))

interface Said {
  readonly code: number
  readonly output: string
}

const env = { ...process.env, LOOPWRIGHT_STATE: join(base, 'state') }

/** A line of a block. A command of loopctl with nothing for the shell needs none. */
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

describe('docs/guide.md', () => {
  test('has commands to paste, which work one after the other', async () => {
    expect(blocks.length).toBeGreaterThan(3)
    for (const line of blocks.flatMap((block) => block.trimEnd().split('\n'))) {
      expect({ line, ...(await runLine(line)) }).toMatchObject({ line, code: 0 })
    }
  })
})

describe('every loopctl command in a document', () => {
  const commands = new Map(createProgram().commands.map((one) => [one.name(), one]))
  const pages = [
    'README.md',
    ...readdirSync(join(root, 'docs'))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
  ]
  const used = pages.flatMap((page) =>
    [...read(page).matchAll(/(?:`|npx )loopctl ((?:--json )?)([a-z]+)([^`\n#|]*)/g)].map(
      ([, , name = '', rest = '']) => ({ name, options: rest.match(/--[a-z-]+/g) ?? [] }),
    ),
  )

  test('is one that there is', () => {
    expect(used.length).toBeGreaterThan(30)
    expect(used.map(({ name }) => name).filter((name) => !commands.has(name))).toEqual([])
  })

  test('has only options that there are', () => {
    const wrong = [...new Set(used.map(({ name }) => name))].flatMap((name) => {
      const command = commands.get(name)
      const all = command === undefined ? [] : [command, ...command.commands]
      const text = all.map((one) => one.helpInformation()).join('')
      const options = used.filter((one) => one.name === name).flatMap((one) => one.options)
      return options.filter((option) => !text.includes(option)).map((option) => `${name} ${option}`)
    })
    expect(wrong).toEqual([])
  })
})
