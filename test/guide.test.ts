/** Commands and options that documents name exist. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createProgram } from '../src/cli/program.ts'

const root = new URL('..', import.meta.url).pathname

const read = (path: string): string => readFileSync(join(root, path), 'utf8')

const program = await createProgram()

describe('every loopctl command in a document', () => {
  const commands = new Map(program.commands.map((one) => [one.name(), one]))
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

  test('exists', () => {
    expect(used.length).toBeGreaterThan(30)
    expect(used.map(({ name }) => name).filter((name) => !commands.has(name))).toEqual([])
  })

  test('has only options that exist', () => {
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
