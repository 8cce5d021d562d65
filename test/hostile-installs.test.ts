// Repositories, packages and registries that attack while dependencies are installed: as root and as an
// ordinary user nothing is left on the host, nothing of the operator's is sent elsewhere, and nothing is
// changed outside of the layer. A plain package manager falls for those that have a control.

import { appendFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { attacks } from './installs/attacks.ts'
import { identities } from './installs/identity.ts'
import { pathWith } from './installs/managers.ts'
import { runAttack, runControl } from './installs/stage.ts'
import { isWhole } from './share.ts'

const report = process.env['LOOPWRIGHT_INSTALLS_REPORT']
const tell = (line: object): void => {
  if (report !== undefined) appendFileSync(report, `${JSON.stringify(line)}\n`)
}

// npm test runs a few, as one of them.
const chosen = attacks.filter(({ isQuick }) => isWhole || isQuick === true)
const users = isWhole ? identities : identities.slice(-1)
const cases = chosen.flatMap((attack) =>
  users.map((identity) => [`${attack.manager}: ${attack.name}`, identity, attack] as const),
)
const limitMs = 300_000

describe('while dependencies are installed', () => {
  test.concurrent.each(cases)(
    '%s, as %s',
    async (name, identity, attack) => {
      const { ends, says = /^/ } = attack
      const found = await runAttack(attack, identity)
      tell({ name, identity, ...found })
      const { message, markers, credentials, connections, outside } = found
      expect({ markers, credentials, connections, outside }).toEqual({
        markers: [],
        credentials: [],
        connections: [],
        outside: [],
      })
      const allowed = ends === 'either' ? ['installed', 'refused'] : [ends]
      expect({ ends: allowed.includes(found.ends) ? ends : found.ends, message }).toEqual({
        ends,
        message,
      })
      expect(message).toMatch(says)
    },
    limitMs,
  )
})

const controlled = chosen.filter(({ control }) => control !== undefined)
// One is enough for npm test to show that the checks above can fail.
const controls = isWhole ? controlled : controlled.slice(0, 1)

describe('with a plain package manager', () => {
  test.concurrent.each(
    controls.map((attack) => [`${attack.manager}: ${attack.name}`, attack] as const),
  )(
    '%s succeeds',
    async (name, attack) => {
      const isSuccess = await runControl(attack)
      tell({ name, control: isSuccess })
      expect(isSuccess).toBe(true)
    },
    limitMs,
  )
})

const managers = [...new Set(chosen.map(({ manager }) => manager))]

test('package managers that this machine lacks are reported', () => {
  const missing = managers.filter((manager) => pathWith(manager) === undefined)
  tell({ missing })
  // uv is in neither Debian 12 nor npm: its attacks are refused before it is looked for.
  expect(missing.filter((manager) => manager !== 'uv')).toEqual([])
})
