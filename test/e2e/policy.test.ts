// Policies of the user, the project and the loop file, from loopctl: what is denied, what is refused, and why.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ctl, type Line, type Place, place } from './loop-fixture.ts'

const loop = `name: story
prompt: Go on.
agent:
  script:
    - - { call: write, args: { path: a.txt, content: one } }
      - { say: Done. }
checks: { never: "false" }
limits: { iterations: 4 }
`

const limit = (iterations: number): string => `@id("limit-${iterations}")
@reason("at most ${iterations} iterations")
forbid (principal, action == Action::"iterate", resource)
when { context.iteration > ${iterations} };
`

const noWrite = `@id("no-write") @reason("nothing is written")
forbid (principal, action == Action::"callTool", resource == Tool::"write");
`

function placeWith(
  text: string,
  files: Readonly<Record<string, string>>,
): Place & { readonly folder: string } {
  const at = place(text)
  const folder = join(at.file, '..')
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return { ...at, folder }
}

/** The user's configuration is in the home folder, which is the state folder here. */
const userConfig = (name: string): string => join('state/.config/loopwright', name)

const run = (at: Place, ...more: string[]) =>
  ctl(at, 'run', at.file, '--trust', '--in-place', '--attended', '--json', ...more)

const linesOf = (stdout: string): readonly Line[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)

const outcomeOf = (stdout: string): Line['outcome'] =>
  linesOf(stdout).findLast(({ outcome }) => outcome !== undefined)?.outcome

describe('a policy that the loop file names', () => {
  test('ends the run at its limit, with its own exit code', async () => {
    const at = placeWith(`${loop}policy: { enforce: [policy/limits.cedar] }\n`, {
      'policy/limits.cedar': limit(2),
    })
    const { code, stdout, stderr } = await run(at)
    expect(stderr).toBe('')
    expect(outcomeOf(stdout)).toMatchObject({
      type: 'denied',
      rules: ['limit-2'],
      reason: 'at most 2 iterations',
    })
    expect(code).toBe(13)
  })

  test('is trusted with the loop file: a change of it has to be trusted again', async () => {
    const at = placeWith(`${loop}policy: { enforce: [limits.cedar] }\n`, {
      'limits.cedar': limit(1),
    })
    expect((await run(at)).code).toBe(13)
    writeFileSync(join(at.folder, 'limits.cedar'), limit(100))
    const { code, stderr } = await ctl(at, 'run', at.file, '--in-place', '--attended', '--json')
    expect(code).not.toBe(0)
    expect(stderr).toContain('not trusted')
  })

  test('denies a tool call as data for the agent', async () => {
    const at = placeWith(`${loop}policy: { enforce: [tools.cedar] }\n`, { 'tools.cedar': noWrite })
    const { stdout } = await run(at)
    const events = linesOf(stdout).flatMap(({ event }) => event ?? [])
    const ruling = events.find(({ type, step }) => type === 'policy-decided' && step !== undefined)
    expect(ruling).toMatchObject({ resource: 'write', rules: ['no-write'], decision: 'deny' })
    const note = events.find(({ type, note: about }) => {
      return type === 'step-noted' && (about as { type?: string }).type === 'tool-called'
    })
    expect(note).toMatchObject({ note: { error: 'denied-by-policy', policy: ['no-write'] } })
  })

  test('that is only monitored ends nothing', async () => {
    const at = placeWith(`${loop}policy: { monitor: [limits.cedar] }\n`, {
      'limits.cedar': limit(1),
    })
    expect(outcomeOf((await run(at)).stdout)).toMatchObject({ type: 'stuck' })
  })

  test.each([
    ['missing', undefined, 'policy.enforce[0]', 'does not exist'],
    ['empty', '', 'policy.enforce[0]', 'write the rules there'],
    [
      'broken',
      'forbid (principal, action, resource) wehn { true };',
      ':1:38',
      'did you mean `when`?',
    ],
  ])('that is %s refuses the run, before it exists', async (_, content, where, why) => {
    const files = content === undefined ? {} : { 'limits.cedar': content }
    const at = placeWith(`${loop}policy: { enforce: [limits.cedar] }\n`, files)
    const { code, stderr } = await run(at)
    expect(code).toBe(65)
    expect(stderr).toContain(where)
    expect(stderr).toContain(why)
    expect((await ctl(at, 'list', '--json')).stdout.trim()).toBe('')
  })
})

describe("the user's policy", () => {
  const withUser = (more: Readonly<Record<string, string>> = {}, text = loop) =>
    placeWith(text, {
      [userConfig('loopwright.yaml')]: 'policy: { enforce: [limits.cedar] }\n',
      [userConfig('limits.cedar')]: limit(2),
      ...more,
    })

  test('applies to every run', async () => {
    expect(outcomeOf((await run(withUser())).stdout)).toMatchObject({ rules: ['limit-2'] })
  })

  test('is not relaxed by a project that monitors the same file, permits all, or has a wider limit', async () => {
    const at = withUser(
      { 'wide.cedar': `${limit(100)}@id("all") permit (principal, action, resource);` },
      `${loop}policy: { enforce: [wide.cedar], monitor: [state/.config/loopwright/limits.cedar] }\n`,
    )
    expect(outcomeOf((await run(at)).stdout)).toMatchObject({ rules: ['limit-2'] })
  })

  test('that is missing refuses every run', async () => {
    const at = withUser({ [userConfig('loopwright.yaml')]: 'policy: { enforce: [other.cedar] }\n' })
    const { code, stderr } = await run(at)
    expect(code).toBe(65)
    expect(stderr).toContain('other.cedar:1:1: the file does not exist')
  })
})

describe('the policy of a project', () => {
  const project = (content: string) => {
    const at = placeWith(loop, { 'limits.cedar': content })
    writeFileSync(join(at.folder, 'loopwright.yaml'), 'policy: { enforce: [limits.cedar] }\n')
    return { ...at, config: ['--config', join(at.folder, 'loopwright.yaml')] }
  }

  test('is used once its content is trusted, and refused until then', async () => {
    const at = project(limit(1))
    const refused = await run(at, ...at.config)
    expect(refused.stderr).toContain('limits.cedar is not trusted yet')
    const trusted = await ctl(at, 'trust', join(at.folder, 'limits.cedar'))
    expect(trusted.stdout).toContain('limit-1')
    expect(outcomeOf((await run(at, ...at.config)).stdout)).toMatchObject({ rules: ['limit-1'] })
    writeFileSync(join(at.folder, 'limits.cedar'), limit(50))
    expect((await run(at, ...at.config)).stderr).toContain('is not trusted yet, or has changed')
  })

  test('is in the plan of a run', async () => {
    const at = project(limit(1))
    const plan = await ctl(
      at,
      'run',
      at.file,
      '--dry-run',
      '--in-place',
      '--attended',
      ...at.config,
    )
    expect(plan.stdout).toMatch(/^policy {5}enforce .*limits\.cedar \([0-9a-f]{12}\)$/m)
  })
})

describe('loopctl policy', () => {
  test('check prints the place and a suggestion for each problem, and fails', async () => {
    const at = placeWith(loop, {
      'bad.cedar': '\nforbid (principal, action == Action::"iterat", resource);',
      'good.cedar': limit(3),
    })
    const file = (name: string): string => join(at.folder, name)
    const { code, stdout } = await ctl(at, 'policy', 'check', file('bad.cedar'), file('good.cedar'))
    expect(code).toBe(65)
    expect(stdout).toContain('bad.cedar:2:30: unrecognized action')
    expect(stdout).toContain('did you mean `Action::"iterate"`?')
    expect(stdout).toContain('good.cedar: ok, 1 rule')
  })

  test('check without files checks those of the configuration', async () => {
    const at = placeWith(loop, {
      [userConfig('loopwright.yaml')]: 'policy: { monitor: [mine.cedar] }\n',
      [userConfig('mine.cedar')]: limit(3),
    })
    expect((await ctl(at, 'policy', 'check')).stdout).toContain('mine.cedar: ok, 1 rule')
  })

  test('check says why a file cannot be read', async () => {
    const at = placeWith(loop, { 'long.cedar': '//\n'.repeat(500_000), 'folder/a.cedar': '' })
    const long = await ctl(at, 'policy', 'check', join(at.folder, 'long.cedar'))
    expect(long).toMatchObject({ code: 65, stdout: expect.stringMatching(/it is over \d+ bytes/) })
    const folder = await ctl(at, 'policy', 'check', join(at.folder, 'folder'))
    expect(folder.stdout).toContain('it is a folder (pass a file in it)')
  })

  test('explain shows each decision with its rule and its numbers', async () => {
    const at = placeWith(`${loop}policy: { enforce: [limits.cedar] }\n`, {
      'limits.cedar': limit(2) + noWrite,
    })
    await run(at, '--name', 'explained')
    const { stdout } = await ctl(at, 'policy', 'explain', 'explained')
    expect(stdout).toMatch(/callTool write +deny +no-write +nothing is written/)
    expect(stdout).toMatch(/3 +iterate +deny +limit-2 +at most 2 iterations; .*elapsedMs \d+/)
  })

  test('backtest shows what would have been stopped', async () => {
    const at = placeWith(loop, { 'new.cedar': limit(1) })
    await run(at, '--name', 'past')
    const file = join(at.folder, 'new.cedar')
    const { stdout } = await ctl(at, 'policy', 'backtest', file)
    expect(stdout).toMatch(/^past +stuck +iteration 2 +limit-1/m)
    expect(stdout).toContain('1 run: 1 would have been stopped, 0 of them wrongly')
    const files = `@id("files") forbid (principal, action, resource) when { context.filesChanged > 0 };`
    writeFileSync(file, files)
    const again = JSON.parse((await ctl(at, 'policy', 'backtest', file, '--json')).stdout)
    expect(again).toMatchObject({ stopped: 1, changed: [{ stopped: { iteration: 2 } }] })
  })
})
