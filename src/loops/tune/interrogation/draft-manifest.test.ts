import { expect, test } from 'vitest'
import { adjustManifest, draftManifest, moveManifest } from './draft-manifest.ts'

const answers = {
  workloadId: 'totals',
  runCommand: 'node run.mjs {case} {output}',
  outputPath: 'evals/out/{name}.txt',
  artifactPaths: 'evals/prompt.md, evals/rules.txt',
  evaluateCommand: 'node score.mjs {output}',
  casePaths: 'evals/cases/*.txt',
  maxIterations: '5',
  reviewer: '',
}

const json = (text: string): unknown => JSON.parse(text)

test('answers add up to a manifest', () => {
  const { text, problems } = draftManifest(answers)
  expect(problems).toEqual([])
  expect(json(text)).toEqual({
    workloadId: 'totals',
    runCommand: 'node run.mjs {case} {output}',
    outputPath: 'evals/out/{name}.txt',
    artifactPaths: ['evals/prompt.md', 'evals/rules.txt'],
    evaluateCommand: 'node score.mjs {output}',
    casePaths: ['evals/cases/*.txt'],
    maxIterations: 5,
  })
})

test('what is missing or wrong is said as for any manifest', () => {
  const { problems } = draftManifest({
    ...answers,
    casePaths: '../secret/*',
    maxIterations: 'many',
  })
  expect(problems.join('\n')).toMatch(/casePaths[^]*inside the workspace/)
  expect(problems.join('\n')).toContain('maxIterations')
})

test('a person adjusts a field', () => {
  const { text } = draftManifest(answers)
  const adjusted = (change: string) => {
    const made = adjustManifest(text, change)
    return typeof made === 'string' ? made : json(made.text)
  }
  expect(adjusted('maxIterations = 7')).toMatchObject({ maxIterations: 7 })
  expect(adjusted('repeats.baseline = 3')).toMatchObject({ repeats: { baseline: 3 } })
  expect(adjusted('evaluateCommand =')).not.toHaveProperty('evaluateCommand')
  expect(adjusted('more iterations')).toContain('field = value')
  expect(adjusted('__proto__.polluted = 1')).not.toHaveProperty('polluted')
})

test('it moves to the folder of its workload, and nowhere else', () => {
  const { text } = draftManifest(answers)
  const moved = moveManifest(text, '', 'evals')
  if (typeof moved === 'string') throw new Error(moved)
  expect(json(moved.text)).toMatchObject({
    artifactPaths: ['prompt.md', 'rules.txt'],
    casePaths: ['cases/*.txt'],
    outputPath: 'out/{name}.txt',
  })
  expect(moveManifest(text, '', 'src')).toContain('is not in src')
  expect(moveManifest(text, '', '')).toEqual({ text })
})
