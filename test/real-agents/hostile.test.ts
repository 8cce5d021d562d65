/**
 * Each program in a repository that tries to control it: it does its work, nothing of the
 * repository runs on the host, no other server gets a request, and the key stays at the gateway.
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hostileRepository, orders, ranInside } from '../agents/hostile-repositories.ts'
import type { Place } from '../e2e/loop-fixture.ts'
import {
  alive,
  failingProject,
  filesWith,
  key,
  mend,
  mending,
  play,
  programs,
} from './real-programs.ts'

interface Attacker extends AsyncDisposable {
  readonly url: string
  readonly asked: readonly string[]
}

/** Counts connections. */
async function startAttacker(): Promise<Attacker> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`)
    response.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${port}`, asked, [Symbol.asyncDispose]: close }
}

const hooks = ['post-checkout', 'pre-commit', 'post-commit', 'reference-transaction']

/** What git would run by itself. */
function plantHooks({ work }: Place, marker: string): void {
  for (const name of hooks) {
    const script = `#!/bin/sh\necho git-${name} >> '${marker}'\n`
    writeFileSync(join(work, '.git/hooks', name), script, { mode: 0o755 })
  }
}

const ways = [
  ['headless', 'program'],
  ['acp', 'acp'],
] as const

describe.each(programs)('%s', (name) => {
  describe('hostile', () => {
    test.each(ways)('does its work in a hostile repository, %s', async (_way, kind) => {
      await using attacker = await startAttacker()
      const { url } = attacker
      const marker = join(dirname(failingProject('repair').file), 'marker')
      const at = failingProject(
        `{ ${kind}: ${name}, timeout: 90s }`,
        hostileRepository(name, { marker, url }),
      )
      plantHooks(at, marker)
      const played = await play(at, mending(mend))

      expect(existsSync(marker) ? readFileSync(marker, 'utf8') : '').toBe('')
      expect(attacker.asked).toEqual([])
      expect(filesWith(key, at.work, at.state, played.folder)).toEqual([])
      const asked = played.server.requests.map(({ headers, body }) => ({
        withKey: JSON.stringify(headers).includes(key),
        withOrders: JSON.stringify(body).includes(orders),
      }))
      expect(asked).toEqual(asked.map(() => ({ withKey: true, withOrders: false })))
      const inside = join(played.folder, ranInside)
      expect(existsSync(inside) ? readFileSync(inside, 'utf8') : '').toBe('')
      expect(played).toMatchObject({ code: 0, outcome: 'completed' })
      expect(readFileSync(join(played.folder, 'sum.js'), 'utf8')).toContain('a + b')
      expect(await alive(at, played)).toEqual([])
    })
  })
})
