/** Typed tokens over Inversify: a token knows the type of what it stands for, and so do bindings made with `provide`. */
import type { ContainerModuleLoadOptions, MapToResolvedValueInjectOptions } from 'inversify';

declare const type: unique symbol;

/**
 * Identifies a service of type `T` in the container; at run time a symbol shared by all copies of the package. Inversify reads
 * the type of a binding from classes only: typed as one too, `bind(target)` and `rebind(target)` take a `T` and nothing else.
 */
export type Token<T> = symbol & { readonly [type]?: T } & (abstract new (...values: never) => T);

/** Stands for everything that is bound to a token. */
export interface AllOf<T> {
  readonly isMultiple: true;
  readonly serviceIdentifier: symbol;
  readonly [type]?: readonly T[];
}

export function token<T>(name: string): Token<T> {
  return Symbol.for(`credence.${name}`) as Token<T>;
}

/** As a dependency: the list of all values bound to a token, in the order of their modules. */
export function all<T>(target: Token<T>): AllOf<T> {
  return { isMultiple: true, serviceIdentifier: target };
}

type Dependencies<D extends readonly unknown[]> = {
  readonly [K in keyof D]: Token<D[K]> | (D[K] extends readonly (infer E)[] ? AllOf<E> : never);
};

/** Binds a token to a singleton made by `factory` from other tokens; nothing bound needs a decorator. */
export function provide<T, D extends unknown[]>(
  { bind }: Pick<ContainerModuleLoadOptions, 'bind'>,
  target: Token<T>,
  dependencies: Dependencies<D>,
  factory: (...values: D) => T,
): void {
  bind<T>(target)
    .toResolvedValue<D>(factory, dependencies as unknown as MapToResolvedValueInjectOptions<D>)
    .inSingletonScope();
}
