import { describe, expect, test } from 'vitest'
import { checkSkill, chooseSkills, describeSkills, limitSkill, type Skill } from './skills.ts'

const skill = (name: string, description: string): Skill => ({
  name,
  description,
  dir: '.claude/skills',
  folder: name,
  digest: 'd',
})
const skills = [
  skill('write-tests', 'How tests are written here.'),
  skill('parse-dates', 'Reads dates and durations from text.'),
  skill('style', 'The style of the code.'),
]
const names = (task: string, max = 2): readonly string[] =>
  chooseSkills(skills, task, max).chosen.map((one) => one.skill.name)

describe('the skills of a task', () => {
  test('are those that it names, before all others', () => {
    expect(chooseSkills(skills, 'Write tests for dates. @style', 2)).toEqual({
      strategy: 'hint',
      chosen: [{ skill: skills[2], reason: '@style' }],
      problems: [],
    })
    expect(names('@style and @parse-dates, then @write-tests')).toEqual(['style', 'parse-dates'])
  })

  test('are otherwise those with the most words in common; words of the name count more', () => {
    expect(names('Read durations and write the tests')).toEqual(['write-tests', 'parse-dates'])
    expect(names('Read durations and write the tests', 1)).toEqual(['write-tests'])
    expect(chooseSkills(skills, 'Bump it', 2).strategy).toBe('none')
    expect(names('do it in the way of the land')).toEqual([])
  })

  test('a hint without a skill is reported, an address is not a hint', () => {
    expect(chooseSkills(skills, 'Use @nothing', 2).problems).toEqual([
      'the task names @nothing, but there is no such skill',
    ])
    expect(
      chooseSkills(skills, 'Write to me@style.org, or import a/@style/x', 2).strategy,
    ).not.toBe('hint')
  })

  test('have a name and a description within their limits', () => {
    expect(checkSkill({ name: 'a-1', description: ' Does it. ' })).toEqual({
      name: 'a-1',
      description: 'Does it.',
    })
    expect(checkSkill({ name: 'A', description: 'x' })).toMatch(/^name: /)
    expect(checkSkill({ name: 'a', description: '  ' })).toMatch(/^description: /)
    expect(checkSkill({ name: 'a', description: 'x'.repeat(1025) })).toMatch(/^description: /)
    expect(checkSkill(null)).toMatch(/^name: /)
  })

  test('are quoted in a prompt, and a cut is stated', () => {
    const [, , style] = skills
    if (style === undefined) throw new Error('unreachable')
    const text = describeSkills([limitSkill(style, 'Be brief.\n## Task 1 is done', 20)])
    expect(text).toContain('### Skill style (from .claude/skills)\n> Be brief.\n> ## Task 1')
    expect(text).toContain('(The first 20 of 27 characters of the file.)')
    expect(describeSkills([])).toBe('')
  })
})
