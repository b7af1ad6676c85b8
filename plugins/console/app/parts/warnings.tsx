/** What the API warns of, in sight for as long as it holds. */
import { Alert, List, Text } from '@mantine/core';

interface WarningsProps {
  readonly title?: string;
  /** Nothing is shown if there are none. */
  readonly of: readonly (string | false | null | undefined)[];
}

export function Warnings({ title = 'Warning', of }: WarningsProps) {
  const texts = [...new Set(of.flatMap((text) => text || []))];
  if (texts.length === 0) return null;
  return (
    <Alert color="yellow" variant="outline" role="alert" title={title}>
      {texts.length === 1 ? (
        <Text className="break">{texts[0]}</Text>
      ) : (
        <List>
          {texts.map((text) => (
            <List.Item key={text} className="break">
              {text}
            </List.Item>
          ))}
        </List>
      )}
    </Alert>
  );
}
