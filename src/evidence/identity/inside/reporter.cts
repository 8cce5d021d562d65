/**
 * A reporter for vitest and jest, loaded in the main process of the runner in addition to the reporters of the
 * project.
 */

type Send = (record: object) => void

const key: unique symbol = Symbol.for('loopwright.identity') as never
const shared = globalThis as unknown as { [key]?: Send }
const send: Send = shared[key] ?? (() => {})
delete shared[key]

const statuses: Readonly<Record<string, string>> = {
  passed: 'passed',
  pass: 'passed',
  failed: 'failed',
  fail: 'failed',
}

const toStatus = (state: string | undefined): string => statuses[state ?? ''] ?? 'skipped'

interface Failure {
  readonly message?: string
}

/** Vitest 3 and later. */
interface TestCase {
  readonly name: string
  readonly module: TestModule
  readonly parent: {
    readonly type: string
    readonly name?: string
    readonly parent?: TestCase['parent']
  }
  result(): { readonly state: string; readonly errors?: readonly Failure[] } | undefined
}

interface TestModule {
  readonly moduleId: string
  readonly children: { allTests(): Iterable<TestCase> }
  state(): string
  errors(): readonly Failure[]
}

/** Vitest before 3. */
interface Task {
  readonly name: string
  readonly mode: string
  readonly filepath?: string
  readonly tasks?: readonly Task[]
  readonly result?: { readonly state?: string; readonly errors?: readonly Failure[] }
}

interface JestResult {
  readonly testFilePath: string
  readonly testExecError?: Failure
  readonly failureMessage?: string | null
  readonly testResults: readonly {
    readonly ancestorTitles: readonly string[]
    readonly title: string
    readonly status: string
    readonly failureMessages?: readonly string[]
  }[]
}

function readTitles(test: TestCase): readonly string[] {
  const titles = [test.name]
  for (let up: TestCase['parent'] | undefined = test.parent; up?.type === 'suite'; up = up.parent)
    titles.unshift(up.name ?? '')
  return titles
}

const shorten = (text: string | undefined): object =>
  text === undefined ? {} : { message: text.slice(0, 2000) }

function sendTest(
  file: string,
  titles: readonly string[],
  state: string | undefined,
  message?: string,
): void {
  const status = toStatus(state)
  send({ type: 'test', file, titles, status, ...(status === 'failed' ? shorten(message) : {}) })
}

/** Visits the tests of vitest 2, each with its suites. */
function eachTask(
  tasks: readonly Task[],
  above: readonly string[],
  visit: (task: Task, titles: readonly string[]) => void,
): void {
  for (const task of tasks) {
    const titles = [...above, task.name]
    if (task.tasks === undefined) visit(task, titles)
    else eachTask(task.tasks, titles, visit)
  }
}

class VitestReporter {
  private hasCases = false

  onTestModuleCollected(module: TestModule): void {
    this.hasCases = true
    for (const test of module.children.allTests())
      send({ type: 'declared', file: module.moduleId, titles: readTitles(test) })
  }

  onTestCaseResult(test: TestCase): void {
    const result = test.result()
    sendTest(test.module.moduleId, readTitles(test), result?.state, result?.errors?.[0]?.message)
  }

  onTestModuleEnd(module: TestModule): void {
    const [error] = module.state() === 'failed' ? module.errors() : []
    if (error !== undefined) sendTest(module.moduleId, ['(file)'], 'failed', error.message)
  }

  onCollected(files: readonly Task[] = []): void {
    if (this.hasCases) return
    for (const file of files)
      eachTask(file.tasks ?? [], [], (_task, titles) =>
        send({ type: 'declared', file: file.filepath ?? '', titles }),
      )
  }

  onFinished(files: readonly Task[] = []): void {
    if (this.hasCases) return
    for (const { filepath = '', tasks = [], result } of files) {
      const [error] = result?.errors ?? []
      if (error !== undefined) sendTest(filepath, ['(file)'], 'failed', error.message)
      eachTask(tasks, [], (task, titles) => {
        const state = task.mode === 'run' ? task.result?.state : 'skip'
        sendTest(filepath, titles, state, task.result?.errors?.[0]?.message)
      })
    }
  }
}

class JestReporter {
  onTestResult(_test: unknown, result: JestResult): void {
    const { testFilePath: file, testExecError, failureMessage, testResults } = result
    if (testExecError !== undefined && testExecError !== null)
      sendTest(file, ['(file)'], 'failed', failureMessage ?? testExecError.message)
    for (const { ancestorTitles, title, status, failureMessages } of testResults)
      sendTest(file, [...ancestorTitles, title], status, failureMessages?.[0])
  }
}

module.exports = process.env['LOOPWRIGHT_RUNNER'] === 'jest' ? JestReporter : VitestReporter
