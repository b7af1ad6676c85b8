/** The parts of an OpenAPI document that the documentation page shows. */

export interface DocsSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly DocsSchema[];
  readonly anyOf?: readonly DocsSchema[];
  readonly properties?: Readonly<Record<string, DocsSchema>>;
  readonly required?: readonly string[];
  readonly items?: DocsSchema;
  readonly description?: string;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

export interface DocsMedia {
  readonly schema?: DocsSchema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly $ref?: string }>>;
}

export type DocsContent = Readonly<Record<string, DocsMedia>>;

export interface DocsParameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: DocsSchema;
}

export interface DocsResponse {
  readonly description: string;
  readonly content?: DocsContent;
}

export interface DocsOperation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly DocsParameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: DocsContent };
  readonly responses: Readonly<Record<string, DocsResponse>>;
}

export interface DocsDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly paths?: Readonly<Record<string, Readonly<Record<string, DocsOperation>>>>;
  readonly webhooks?: Readonly<Record<string, Readonly<Record<string, DocsOperation>>>>;
  readonly components?: {
    readonly schemas?: Readonly<Record<string, DocsSchema>>;
    readonly examples?: Readonly<Record<string, { readonly summary?: string }>>;
  };
}

/** Follows references within the document; an unknown one is shown as anything. */
export function resolveSchema(document: DocsDocument, schema: DocsSchema): DocsSchema {
  const name = schema.$ref?.replace('#/components/schemas/', '');
  if (name === undefined) return schema;
  const found = document.components?.schemas?.[name];
  return found === undefined ? {} : resolveSchema(document, found);
}
