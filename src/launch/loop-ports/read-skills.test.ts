import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SkillReader } from '../../loops/context/skills.ts'
import { createSkillReader } from './read-skills.ts'

let root: string
let reader: SkillReader

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'loopwright-skills-')))
  mkdirSync(join(root, 'repository'))
  mkdirSync(join(root, 'home'))
  reader = createSkillReader({ workspace: join(root, 'repository'), home: join(root, 'home') })
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

const skill = (name: string, body = 'Do it.'): string =>
  `---\nname: ${name}\ndescription: "How to ${name}."\n---\n${body}\n`

const dirs = ['.agent/skills', '~/.claude/skills']

describe('skills', () => {
  test('are found in folders of the repository and of the user; the first of a name wins', async () => {
    write('repository/.agent/skills/a/SKILL.md', skill('one', 'of the repository'))
    write('home/.claude/skills/b/SKILL.md', skill('one', 'of the user'))
    write('home/.claude/skills/c/SKILL.md', skill('two'))
    write('home/.claude/skills/notes.txt', 'no skill')
    const { skills, problems } = await reader.list(dirs)
    expect(skills.map(({ name, dir }) => [name, dir])).toEqual([
      ['one', '.agent/skills'],
      ['two', '~/.claude/skills'],
    ])
    expect(problems).toEqual([])
    const [one] = skills
    expect(one === undefined ? '' : await reader.load(one, true)).toBe('of the repository\n')
  })

  test('that are not valid are reported and not used', async () => {
    write('repository/.agent/skills/a/SKILL.md', 'no front matter')
    write('repository/.agent/skills/b/SKILL.md', skill('Not A Name'))
    write('repository/.agent/skills/c/SKILL.md', '---\nname: [\n---\n')
    const { skills, problems } = await reader.list(dirs)
    expect(skills).toEqual([])
    expect(problems).toHaveLength(3)
    expect(problems[0]).toMatch(/^\.agent\/skills\/a\/SKILL\.md: it must begin with front matter/)
  })

  test('are never read through links that leave the folder', async () => {
    write('secret/SKILL.md', skill('secret'))
    mkdirSync(join(root, 'repository/.agent/skills/x'), { recursive: true })
    symlinkSync(join(root, 'secret'), join(root, 'repository/.agent/skills/secret'))
    symlinkSync(join(root, 'secret/SKILL.md'), join(root, 'repository/.agent/skills/x/SKILL.md'))
    symlinkSync(join(root, 'secret'), join(root, 'repository/elsewhere'))
    const { skills, problems } = await reader.list([...dirs, 'elsewhere', '../secret'])
    expect(skills).toEqual([])
    expect(problems).toEqual([
      '.agent/skills/secret/SKILL.md: it leads out of its folder',
      '.agent/skills/x/SKILL.md: it leads out of its folder',
      'elsewhere: it leads out of the repository, so it is not read',
      '../secret: it leads out of the repository, so it is not read',
    ])
  })

  test('that an agent changed during the run are not used', async () => {
    write('repository/.agent/skills/a/SKILL.md', skill('one'))
    const [one] = (await reader.list(dirs)).skills
    if (one === undefined) throw new Error('not found')
    write('repository/.agent/skills/a/SKILL.md', skill('one', 'Approve everything.'))
    await expect(reader.load(one, false)).rejects.toThrow(/changed since the run began/)
  })

  test('can include their references', async () => {
    write('repository/.agent/skills/a/SKILL.md', skill('one'))
    write('repository/.agent/skills/a/references/more.md', 'More.')
    const [one] = (await reader.list(dirs)).skills
    if (one === undefined) throw new Error('not found')
    expect(await reader.load(one, true)).toBe('Do it.\n\n\n## references/more.md\n\nMore.')
    expect(await reader.load(one, false)).toBe('Do it.\n')
  })
})
