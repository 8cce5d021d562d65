/** The ten topics of the interrogation, and what of them goes into the manifest. */

export const depths = ['short', 'medium', 'long', 'absolute'] as const
export type Depth = (typeof depths)[number]

/** How many topics are asked about at least; with `absolute` until nothing is left to say. */
export const topicsOf: Readonly<Record<Depth, number>> = {
  short: 3,
  medium: 6,
  long: 9,
  absolute: 10,
}

/** A field of the manifest. `list`: several values, separated by commas. */
export interface TopicField {
  readonly name: string
  readonly question: string
  readonly type: 'text' | 'list' | 'number'
  /** Asked at every depth: without it there is no manifest. */
  readonly isRequired: boolean
}

export interface Topic {
  readonly name: string
  /** The open question, whose answer goes into the plan. */
  readonly question: string
  readonly fields: readonly TopicField[]
}

const field = (
  name: string,
  question: string,
  more: Partial<Omit<TopicField, 'name' | 'question'>> = {},
): TopicField => ({ name, question, type: 'text', isRequired: false, ...more })

export const topics: readonly Topic[] = [
  {
    name: 'identity',
    question: 'What is this workload, what does it produce, and what signals quality?',
    fields: [
      field('workloadId', 'What is this workload called?', { isRequired: true }),
      field('runCommand', 'What command runs the workload on a single case? It needs {case}.', {
        isRequired: true,
      }),
      field('outputPath', 'Where does it write its output? Such as out/{name}.txt', {
        isRequired: true,
      }),
    ],
  },
  {
    name: 'artifacts',
    question: 'What do the files that will be changed do, and what must stay as it is?',
    fields: [
      field('artifactPaths', 'Which files will be modified during iteration?', {
        type: 'list',
        isRequired: true,
      }),
    ],
  },
  {
    name: 'evaluation',
    question: 'How do you measure quality: a reviewer, a comparison, something else?',
    fields: [
      field('evaluateCommand', 'What command evaluates the quality of an {output}? Empty: none.', {
        isRequired: true,
      }),
      field('expectedPaths', 'Where are the expected outputs, if there are any? Empty: none.', {
        type: 'list',
        isRequired: true,
      }),
      field('reviewCommand', 'Is there a second command that reviews an output? Empty: no.'),
    ],
  },
  {
    name: 'cases',
    question: 'Which inputs represent the problem best, and which are edge cases?',
    fields: [
      field('casePaths', 'Where are the input files (cases)? Paths or globs.', {
        type: 'list',
        isRequired: true,
      }),
    ],
  },
  {
    name: 'goals',
    question: 'What specific improvements are you targeting, and what is good enough?',
    fields: [],
  },
  {
    name: 'failures',
    question: 'What kinds of errors are most common? Where does it struggle?',
    fields: [],
  },
  {
    name: 'stopping',
    question: 'When should the loop stop: at a quality such as 90 %, at a plateau, at a budget?',
    fields: [field('maxIterations', 'How many changes are tried at most?', { type: 'number' })],
  },
  {
    name: 'resources',
    question: 'What does an iteration cost, and what limits are there: rates, time, money?',
    fields: [
      field('costPerCase', 'How many dollars does one run of one case cost?', { type: 'number' }),
      field('concurrency', 'How many cases may run at the same time?', { type: 'number' }),
    ],
  },
  {
    name: 'domain',
    question: 'What does the composer have to know about the domain?',
    fields: [
      field('domainDocs', 'Which documents should the composer read? Empty: none.', {
        type: 'list',
      }),
    ],
  },
  {
    name: 'agents',
    question: 'Do you have prompts for the composer and the reviewer, or should they be drafted?',
    fields: [
      field('composer', 'The file with the prompt of the composer? Empty: it is drafted.'),
      field('reviewer', 'The file with the prompt of the reviewer? Empty: no agent reviews.'),
    ],
  },
]
