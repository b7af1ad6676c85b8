/** Charts. What they show is beside them as text too. */
import { useComputedColorScheme } from '@mantine/core';
import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  Filler,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
} from 'chart.js';
import { Chart as Drawn } from 'react-chartjs-2';

Chart.register(
  BarController,
  BarElement,
  CategoryScale,
  Filler,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
);

export interface ChartProps {
  readonly type: 'bar' | 'line';
  /** What it shows, for those who do not see it. */
  readonly label: string;
  readonly points: readonly (readonly [name: string, value: number])[];
}

export default function SimpleChart({ type, label, points }: ChartProps) {
  const isDark = useComputedColorScheme('light') === 'dark';
  const [ink, grid, color] = isDark ? ['#d5d8dd', '#3b3f45', '#7d92ff'] : ['#3b4046', '#dfe3e8', '#364fc7'];
  const axis = { ticks: { color: ink }, grid: { color: grid } };
  return (
    <div className="chart">
      <Drawn
        type={type}
        aria-label={label}
        role="img"
        data={{
          labels: points.map(([name]) => name),
          datasets: [
            {
              label,
              data: points.map(([, value]) => value),
              backgroundColor: type === 'bar' ? color : `${color}33`,
              borderColor: color,
              fill: type === 'line',
              stepped: type === 'line',
              pointRadius: points.length > 50 ? 0 : 3,
            },
          ],
        }}
        options={{
          animation: false,
          maintainAspectRatio: false,
          scales: { x: axis, y: { ...axis, beginAtZero: true, ticks: { color: ink, precision: 0 } } },
        }}
      />
    </div>
  );
}
