/** A chore of the catalog in a project: added with loopctl, at a level, with scripted agents. */

import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'vitest'
import { afterStory } from '../after.ts'
import { agentScript, type Chore, chores, project } from './chores.ts'
import { createScene, type Scene } from './scene.ts'

/** A registry that knows one package. */
async function startRegistry(): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url === '/left-pad/latest') return response.end('{"version":"1.3.0"}')
    response.statusCode = 404
    return response.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterStory(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

export interface ChoreScene extends Scene {
  readonly chore: Chore
  readonly commit: string
  run(...args: readonly string[]): ReturnType<Scene['ctl']>
}

export async function setUpChore(
  chore: Chore,
  level: 1 | 2 | 3,
  verdict: 'pass' | 'fail' = 'pass',
): Promise<ChoreScene> {
  const scene = createScene(
    { ...project, 'tools/agent.mjs': agentScript(chores), ...chore.files },
    { env: { npm_config_registry: await startRegistry() } },
  )
  chore.prepare(scene)
  const agent = `node tools/agent.mjs ${chore.name} ${verdict}`
  const added = await scene.ctl('catalog', 'add', chore.name, '--agent', agent)
  expect(added).toMatchObject({ code: 0, stderr: '' })
  const shown = `loops/${chore.name}.yaml`
  const file = join(scene.repo, shown)
  const text = readFileSync(file, 'utf8').replace(/^level: \d.*$/m, `level: ${level}`)
  writeFileSync(file, `${text}${chore.keys ?? ''}`)
  expect(await scene.ctl('trust', shown)).toMatchObject({ code: 0 })
  const run = (...args: readonly string[]) =>
    scene.ctl('--json', '--no-input', 'run', shown, '--name', 'round', ...args)
  return { ...scene, chore, run, commit: scene.git('rev-parse', 'HEAD') }
}
