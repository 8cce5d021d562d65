// Loop files with `agent: repair`, run by the built loopctl in the sandbox: no model, no key, no
// network.

import { cpSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ctl, endOf, eventsOf, type Place, place } from './loop-fixture.ts'

const project = resolve('examples/mend-duration/project')

function broken(loop: string): Place {
  const at = place(loop)
  cpSync(project, at.work, { recursive: true })
  return at
}

const source = ({ work }: Place): string => readFileSync(join(work, 'src/format.js'), 'utf8')
const mended = 'if (rest >= unit.ms)'

const reports = (ended: Awaited<ReturnType<typeof ctl>>): readonly string[] =>
  eventsOf(ended, 'step-finished')
    .filter(({ step }) => step === 'agent:maker#1')
    .map(({ result }) => (result as { readonly value: { readonly text: string } }).value.text)

describe('agent: repair', () => {
  test('fixes a planted defect in the sandbox, with a loop file of two lines', async () => {
    const at = broken('agent: repair\nchecks: { test: node --test }\n')
    const ended = await ctl(at, '--json', 'run', at.file, '--trust', '--name', 'story')
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(endOf(ended)).toMatchObject({ outcome: { type: 'completed' } })
    expect(source(at)).toContain(mended)
    expect(reports(ended).at(-1)).toContain('tests were held back from the search')
    const { state } = JSON.parse((await ctl(at, '--json', 'inspect', 'story')).stdout) as {
      readonly state: { readonly spent: { readonly tokens: number } }
    }
    expect(state.spent.tokens).toBe(0)
  })

  test('continues in the next iteration where the last one stopped', async () => {
    const at = broken(
      'agent: { repair: { edits: 1 } }\nchecks: { test: node --test }\nuntil: [{ type: checks-pass }]\n',
    )
    const ended = await ctl(at, '--json', 'run', at.file, '--trust')
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(source(at)).toContain(mended)
    const all = reports(ended)
    expect(all.length).toBeGreaterThan(1)
    const cursors = all.slice(0, -1).map((text) => /\[repair \w+ (\d+)\]$/.exec(text)?.[1])
    expect(cursors).toEqual(cursors.map((_cursor, index) => String(index + 1)))
  })

  test('ends the run when no edit is left to try', async () => {
    const at = broken('agent: repair\nchecks: { test: node --test, other: test -f other.txt }\n')
    const ended = await ctl(at, '--json', 'run', at.file, '--trust')
    expect(ended.code).toBe(4)
    expect(endOf(ended)).toMatchObject({
      outcome: {
        type: 'stuck',
        condition: 'agent-blocked',
        detail: 'the agent has nothing left to try',
      },
    })
    expect(reports(ended)).toHaveLength(1)
    expect(reports(ended)[0]).toContain('it cannot fix two bugs at once')
  })

  test('says what it needs before there is a run', async () => {
    const at = broken('agent: repair\nuntil: [{ type: max-iterations, iterations: 1 }]\n')
    const refused = await ctl(at, 'run', at.file, '--trust')
    expect(refused.code).toBe(65)
    expect(refused.stderr).toContain(
      'the repair agent needs a check that is a command and fails now: add one',
    )
    const other = broken('agent: repair\nchecks: { test: node --test }\n')
    const model = await ctl(other, 'run', other.file, '--trust', '--model', 'openai/gpt-5')
    expect(model.code).toBe(64)
    expect(model.stderr).toContain('The repair agent uses no model')
    const forgetful = place('prompt: Mend it.\nagent: repair\nchecks: { test: node --test }\n')
    expect((await ctl(forgetful, 'validate', forgetful.file)).stdout).toContain(
      'without {{ progress }} the repair agent starts its search over in each iteration',
    )
  })
})
