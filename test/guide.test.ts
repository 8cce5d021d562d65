/** The commands of docs/guide.md work as they stand there, and those of other pages exist. */

import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'

const root = new URL('..', import.meta.url).pathname
const loopctl = join(root, 'dist/cli/loopctl.js')
const base = mkdtempSync(join(tmpdir(), 'loopwright-guide-'))

afterAll(() => rmSync(base, { recursive: true, force: true }))

const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** What a person can paste; blocks with something to fill in are not among them. */
const blocks = [...read('docs/guide.md').matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
  .map(([, block = '']) => block)
  .filter((block) => !block.includes('<'))

interface Ended {
  readonly code: number
  readonly output: string
}

function runBlock(block: string): Promise<Ended> {
  const here = block
    .replaceAll('/tmp/', `${base}/`)
    .replaceAll('npx loopctl', `'${process.execPath}' '${loopctl}'`)
  const env = { ...process.env, LOOPWRIGHT_STATE: join(base, 'state') }
  return new Promise((resolve) => {
    execFile('/bin/sh', ['-e', '-c', here], { cwd: root, env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: `${stdout}${stderr}` })
    })
  })
}

describe('docs/guide.md', () => {
  test('has commands to paste, which work one after the other', async () => {
    expect(blocks.length).toBeGreaterThan(3)
    for (const block of blocks) {
      expect({ block, ...(await runBlock(block)) }).toMatchObject({ block, code: 0 })
    }
  })
})

describe('every loopctl command in a document', () => {
  const help = (...args: string[]): string =>
    execFileSync(process.execPath, [loopctl, ...args], { encoding: 'utf8' })
  const known = new Set(
    [...help('--help').matchAll(/^ {2}([a-z]+) /gm)].map(([, name = '']) => name),
  )
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
    expect(used.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([])
  })

  test('has only options that there are', () => {
    const wrong = [...new Set(used.map(({ name }) => name))].flatMap((name) => {
      const text = help('help', name)
      const options = used.filter((one) => one.name === name).flatMap((one) => one.options)
      return options.filter((option) => !text.includes(option)).map((option) => `${name} ${option}`)
    })
    expect(wrong).toEqual([])
  })
})
