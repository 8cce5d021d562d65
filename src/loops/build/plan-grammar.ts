/**
 * The grammar of plans: Markdown with a list of checkboxes.
 *
 *   - [ ] open        - [~] blocked      - [x] implemented, awaits its review
 *   - [R] reviewed    - [ ]? manual QA, not a task
 *
 * Fenced code and comments contain no tasks, nor do sections about verification, checklists and manual QA. A plan comes
 * from people, other tools and agents, so every text is accepted; what does not look like a task is not one.
 */

export type Mark = 'open' | 'blocked' | 'implemented' | 'reviewed'

export interface PlanTask {
  /** The line in the text of the plan, from 0. */
  readonly line: number
  /** The text after its checkbox. */
  readonly text: string
  readonly mark: Mark
}

// Agents write plans: the time for a line must not grow faster than its length, so nothing here ends with `\s*$`.
const taskPattern = /^(\s*(?:[-*+]|\d{1,9}[.)])\s+\[)([ ~xXrR])\](\?)?\s+(\S.*)/
/** Text after backticks that contains another one is code in a line, which opens no block. */
const fencePattern = /^\s{0,3}(?:(`{3,})(?!.*`)|(~{3,}))/
const headingPattern = /^\s{0,3}(#{1,6})\s+(.*)/
const skippedHeading = /verification|checklist|^manual qa/i

const marks: Readonly<Record<string, Mark>> = {
  ' ': 'open',
  '~': 'blocked',
  x: 'implemented',
  X: 'implemented',
  R: 'reviewed',
  r: 'reviewed',
}

const signs: Readonly<Record<Mark, string>> = {
  open: ' ',
  blocked: '~',
  implemented: 'x',
  reviewed: 'R',
}

/** A plan with more tasks is refused. */
export const tasksMax = 1000
const textCharsMax = 2000

export function parsePlan(text: string): readonly PlanTask[] {
  const tasks: PlanTask[] = []
  const state: Reading = { fence: undefined, skippedLevel: undefined, isComment: false }
  for (const [line, content] of text.split('\n').entries()) {
    if (!isPlanText(state, content)) continue
    const [, , sign = '', manual, label = ''] = taskPattern.exec(content) ?? []
    const mark = marks[sign]
    if (mark === undefined || manual !== undefined) continue
    tasks.push({ line, text: label.trimEnd().slice(0, textCharsMax), mark })
  }
  return tasks
}

interface Reading {
  /** The characters that end the open block of code. */
  fence: string | undefined
  /** The level of the heading whose section is skipped. */
  skippedLevel: number | undefined
  isComment: boolean
}

/** Whether a line can be a task; follows fences, comments and headings. */
function isPlanText(state: Reading, content: string): boolean {
  const [, backticks, tildes] = fencePattern.exec(content) ?? []
  const fence = backticks ?? tildes
  if (state.fence !== undefined) {
    if (fence?.startsWith(state.fence) === true && content.trim() === fence) state.fence = undefined
    return false
  }
  if (state.isComment || content.trimStart().startsWith('<!--')) {
    state.isComment = !content.includes('-->')
    return false
  }
  if (fence !== undefined) {
    state.fence = fence
    return false
  }
  const [, level, title = ''] = headingPattern.exec(content) ?? []
  if (level !== undefined) {
    const isInside = state.skippedLevel !== undefined && level.length > state.skippedLevel
    if (!isInside) state.skippedLevel = skippedHeading.test(title) ? level.length : undefined
    return false
  }
  return state.skippedLevel === undefined
}

/** The text with the marks of these tasks. Nothing else of it changes. */
export function writeMarks(
  text: string,
  tasks: readonly Pick<PlanTask, 'line' | 'mark'>[],
): string {
  const lines = text.split('\n')
  for (const { line, mark } of tasks) {
    lines[line] = (lines[line] ?? '').replace(
      taskPattern,
      (whole: string, start: string) => `${start}${signs[mark]}${whole.slice(start.length + 1)}`,
    )
  }
  return lines.join('\n')
}

/** The line of a task with another text, and the same mark. */
export const withTaskText = (line: string, text: string): string =>
  line.replace(
    taskPattern,
    (_whole: string, start: string, sign: string) => `${start}${sign}] ${text}`,
  )

/** Lines that belong to a task: more indented, up to the next task or an empty line. */
export function readDetails(text: string, { line }: Pick<PlanTask, 'line'>): string {
  const lines = text.split('\n')
  const indent = indentOf(lines[line] ?? '')
  const details: string[] = []
  for (const content of lines.slice(line + 1, line + 1 + detailLinesMax)) {
    if (content.trim() === '' || indentOf(content) <= indent || taskPattern.test(content)) break
    details.push(content.trimEnd().slice(indent))
  }
  return details.join('\n').slice(0, textCharsMax)
}

const detailLinesMax = 40
const indentOf = (line: string): number => line.length - line.trimStart().length
