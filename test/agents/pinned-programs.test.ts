/**
 * The programs that `npm run test:agents` installs are the tested versions, and nothing else
 * determines that.
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { agentProgram, programNames } from '../../src/agents/index.ts'

const folder = join(import.meta.dirname, '../real-agents')
const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'))

interface Locked {
  readonly version?: string
  readonly resolved?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const { dependencies } = read('package.json') as Required<Pick<Locked, 'dependencies'>>
const { packages } = read('package-lock.json') as {
  readonly packages: Readonly<Record<string, Locked>>
}

const tried = programNames.flatMap((name) => {
  const program = agentProgram(name)
  return program.acp === undefined ? [program.package] : [program.package, program.acp.package]
})

describe('the manifest of the real programs', () => {
  test("has the versions in the programs' files, and no others", () => {
    const known = Object.fromEntries(tried.map(({ name, version }) => [name, version]))
    expect(dependencies).toEqual(known)
  })

  test('agrees with its lock file', () => {
    expect(packages['']?.dependencies).toEqual(dependencies)
    for (const [name, version] of Object.entries(dependencies)) {
      expect(packages[`node_modules/${name}`]?.version).toBe(version)
    }
  })

  test('is locked without addresses, for every platform: node scripts/complete-lock.mjs', () => {
    const entries = Object.entries(packages)
    expect(entries.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
    const missing = entries.flatMap(([parent, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) =>
          !(`node_modules/${name}` in packages) && !(`${parent}/node_modules/${name}` in packages),
      ),
    )
    expect(missing).toEqual([])
  })
})
