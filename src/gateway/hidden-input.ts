/**
 * Whether all of a request's input is in the request. Providers bring more by themselves: what their tools
 * find, files and prompts that they keep, earlier answers. What that costs is not to be seen here.
 *
 * E4. Whole is only what is known to be: fields, parts and tools that are not listed count as more input
 *     than there is to see. Better too often than too seldom.
 */

import type { WireFormat } from './route.ts'

type Fields = Readonly<Record<string, unknown>>

export function bringsInput(format: WireFormat, body: Fields): boolean {
  return !readers[format](body)
}

const names = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/** True where there is nothing but these. A number or nothing at all brings no input. */
function hasOnly(fields: Fields, known: ReadonlySet<string>): boolean {
  return Object.entries(fields).every(
    ([name, value]) =>
      known.has(name) || value === null || value === false || typeof value === 'number',
  )
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null

/** Nothing, or a list of what is whole. */
function all(value: unknown, isWhole: (one: Fields) => boolean): boolean {
  if (isAbsent(value)) return true
  return Array.isArray(value) && value.every((one: unknown) => isFields(one) && isWhole(one))
}

/** A text, or a list of parts. */
const said = (value: unknown, isWhole: (part: Fields) => boolean): boolean =>
  typeof value === 'string' || all(value, isWhole)

const readers: Readonly<Record<WireFormat, (body: Fields) => boolean>> = {
  anthropic: (body) =>
    hasOnly(body, anthropicFields) &&
    onlyClears(body['context_management']) &&
    said(body['system'], anthropicPart) &&
    all(body['messages'], (message) => said(message['content'], anthropicPart)) &&
    all(
      body['tools'],
      (tool) => isOf(tool, [undefined, 'custom']) && isFields(tool['input_schema']),
    ),
  chat: (body) =>
    hasOnly(body, chatFields) &&
    all(body['messages'], (one) => hasOnly(one, chatMessage) && said(one['content'], openaiPart)) &&
    all(body['tools'], isOpenaiTool),
  responses: (body) =>
    hasOnly(body, responsesFields) &&
    said(body['instructions'], responsesItem) &&
    said(body['input'], responsesItem) &&
    all(body['tools'], isOpenaiTool),
  gemini: (body) =>
    hasOnly(body, geminiFields) &&
    all(body['contents'], geminiContent) &&
    ['systemInstruction', 'system_instruction'].every((name) => {
      const value = body[name]
      return isAbsent(value) || (isFields(value) && geminiContent(value))
    }) &&
    all(body['tools'], (tool) => hasOnly(tool, geminiTool)),
}

const isOf = (value: Fields, types: readonly (string | undefined)[]): boolean =>
  types.includes(value['type'] as string | undefined)

const anthropicFields = names(
  `model messages system tools max_tokens metadata stop_sequences stream temperature top_k top_p
  thinking tool_choice service_tier speed output_config output_format inference_geo cache_control betas
  context_management`.trim(),
)

/** What makes a summary first uses more than it says. */
const onlyClears = (value: unknown): boolean =>
  isAbsent(value) ||
  (isFields(value) &&
    all(
      value['edits'],
      (edit) => typeof edit['type'] === 'string' && edit['type'].startsWith('clear_'),
    ))

/** Documents are not: what a page of a PDF costs has nothing to do with its bytes. */
function anthropicPart(part: Fields): boolean {
  switch (part['type']) {
    case 'text':
    case 'thinking':
    case 'redacted_thinking':
    case 'tool_use':
    case 'tool_reference':
      return true
    case 'tool_result':
      return said(part['content'], anthropicPart)
    case 'image':
      return isFields(part['source']) && part['source']['type'] === 'base64'
    case 'document':
      return isFields(part['source']) && part['source']['type'] === 'text'
    default:
      return false
  }
}

const chatFields = names(
  `model messages tools functions tool_choice function_call parallel_tool_calls max_tokens
  max_completion_tokens n stop stream stream_options temperature top_p top_k min_p seed logit_bias
  logprobs top_logprobs frequency_penalty presence_penalty repetition_penalty repeat_penalty metadata
  modalities prediction prompt_cache_key prompt_cache_retention reasoning reasoning_effort
  response_format safety_identifier service_tier store user verbosity thinking think enable_thinking
  chat_template_kwargs options keep_alive`.trim(),
)

/** `audio` names an earlier answer. */
const chatMessage = names(
  `role content name tool_calls tool_call_id function_call refusal reasoning reasoning_content
  reasoning_details annotations cache_control`.trim(),
)

const responsesFields = names(
  `model input instructions tools tool_choice max_output_tokens metadata parallel_tool_calls
  prompt_cache_key prompt_cache_retention reasoning safety_identifier service_tier store stream
  stream_options temperature text top_p truncation user include client_metadata`.trim(),
)

function isOpenaiTool(tool: Fields): boolean {
  const type = tool['type']
  // Of tools that the client holds back; what it finds is in the next request.
  if (type === 'tool_search') return tool['execution'] === 'client'
  if (type !== 'function' && type !== 'custom') return false
  const inner = tool[type]
  return typeof tool['name'] === 'string' || (isFields(inner) && typeof inner['name'] === 'string')
}

function openaiPart(part: Fields): boolean {
  switch (part['type']) {
    case 'text':
    case 'input_text':
    case 'output_text':
    case 'summary_text':
    case 'reasoning_text':
    case 'refusal':
      return true
    case 'image_url':
      return isFields(part['image_url'])
        ? isInside(part['image_url']['url'])
        : isInside(part['image_url'])
    case 'input_image':
      return isInside(part['image_url']) && isAbsent(part['file_id'])
    default:
      return false
  }
}

const isInside = (url: unknown): boolean => typeof url === 'string' && url.startsWith('data:image/')

function responsesItem(item: Fields): boolean {
  switch (item['type']) {
    case undefined:
    case 'message':
      return typeof item['role'] === 'string' && said(item['content'], openaiPart)
    case 'function_call':
    case 'custom_tool_call':
    case 'local_shell_call':
    case 'local_shell_call_output':
      return true
    case 'tool_search_call':
    case 'tool_search_output':
      return item['execution'] === 'client' && all(item['tools'], isOpenaiTool)
    case 'function_call_output':
    case 'custom_tool_call_output':
      return said(item['output'], openaiPart)
    case 'reasoning':
      // Where only its name is there, the provider takes what it kept.
      return isAbsent(item['id']) || typeof item['encrypted_content'] === 'string'
    default:
      return false
  }
}

const geminiFields = names(
  `model contents systemInstruction system_instruction tools toolConfig tool_config safetySettings
  safety_settings generationConfig generation_config labels`.trim(),
)
const geminiTool = names('functionDeclarations function_declarations')
const geminiPart = names(
  `text thought thoughtSignature thought_signature functionCall function_call functionResponse
  function_response inlineData inline_data`.trim(),
)
const geminiResult = names('id name response')

const geminiContent = (content: Fields): boolean =>
  all(content['parts'], (part) => {
    const picture = part['inlineData'] ?? part['inline_data']
    const result = part['functionResponse'] ?? part['function_response']
    return (
      hasOnly(part, geminiPart) &&
      (isAbsent(picture) || isPicture(picture)) &&
      (isAbsent(result) || (isFields(result) && hasOnly(result, geminiResult)))
    )
  })

/** Of sound and film, little can be long. */
function isPicture(value: unknown): boolean {
  if (!isFields(value)) return false
  const type = value['mimeType'] ?? value['mime_type']
  return typeof type === 'string' && type.startsWith('image/')
}
